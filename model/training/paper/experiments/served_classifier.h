#ifndef AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_SERVED_CLASSIFIER_H_
#define AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_SERVED_CLASSIFIER_H_

// Trains the paper's classifier, with an Aaren and a causal embedding, for a package that the server can serve.
//
// A fifth of the cases of each class is held back. The epoch with the least loss on these cases ends a second run on
// all cases, whose weights are kept. The cases held back also choose the threshold of early decisions. The rate falls
// in a straight line from 1e-3 to 0 over all epochs. Numbers of a token are standardised and filled as the engine does
// (model/engine/classification/classification_task.h). No torch in this header.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/package/package.h"
#include "model/tasks/classification/earliness.h"
#include "model/training/paper/grid/cell.h"

namespace aaren::training {

struct ServedClassifierOptions {
  std::string train, test;  // .ts files; without a test file there are no scores
  int64_t epochs = 40;      // at most
  uint64_t seed = 0;
};

struct ServedClassifier {
  std::map<std::string, package::Tensor> tensors;
  package::ClassifierConfig config;
  int64_t parameters = 0, epochs = 0;
  double held_out_loss = 0, held_out_accuracy = 0;  // the first run's; percent
  double threshold = 1;                             // threshold of early decisions
  std::vector<classification::Unfolding> test;      // empty without a test file
};

// Uses torch's random numbers. Cancelled once `goes_on` is false. Errors of a file name the file; InvalidArgument if
// the files differ in classes or channels, or a class has a single case. Internal for an error of torch.
absl::StatusOr<ServedClassifier> TrainServedClassifier(const ServedClassifierOptions& options,
                                                       const EpochReport& report, const std::function<bool()>& goes_on);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_EXPERIMENTS_SERVED_CLASSIFIER_H_
