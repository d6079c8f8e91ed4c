#ifndef AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_CLASSIFIER_TRAINING_H_
#define AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_CLASSIFIER_TRAINING_H_

// The training of a classifier of series, epoch by epoch, with the batches, the optimiser and the clip of the paper's
// protocol; the caller chooses epochs and rates. Random numbers are torch's. Functions may throw c10::Error.

#include <torch/types.h>

#include <vector>

#include "model/nn/encoder/classifier.h"
#include "model/tasks/classification/earliness.h"
#include "model/tasks/classification/ts_file.h"
#include "model/training/paper/experiments/radam.h"

namespace aaren::training {

inline constexpr double kClassifierRate = 1e-3;

struct Cases {
  torch::Tensor values;   // [n, N, V], zeros behind a case's end
  torch::Tensor lengths;  // [n]
  torch::Tensor labels;   // [n]

  int64_t count() const { return labels.size(0); }
  // The cases with these indices, [m].
  Cases Select(const torch::Tensor& indices) const;
};

// The first `steps` steps of each case.
Cases CasesOf(const classification::LabelledSet& set, int64_t steps);

class ClassifierTraining {
 public:
  explicit ClassifierTraining(const nn::ClassifierOptions& options);

  // Trains once on every case, in random order. Returns the mean loss.
  double Epoch(const Cases& train);
  void set_rate(double rate) { optimizer_.set_rate(rate); }

  // Probabilities [n, C] of cases of which the first lengths [n] steps were seen.
  torch::Tensor Probabilities(const Cases& cases, const torch::Tensor& lengths);
  double Accuracy(const Cases& cases);  // in percent, of whole cases
  double Loss(const Cases& cases);      // mean of -log(probability of the case's class)

  // Each case after each share of its length.
  std::vector<classification::Unfolding> Unfold(const Cases& cases);

  nn::Classifier& classifier() { return classifier_; }

 private:
  nn::Classifier classifier_;
  RAdam optimizer_;
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_CLASSIFIER_TRAINING_H_
