#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/nn/encoder/classifier.h"
#include "model/tasks/classification/earliness.h"
#include "model/tasks/classification/ts_file.h"
#include "model/training/paper/best_epoch.h"
#include "model/training/paper/experiment.h"
#include "model/training/paper/radam.h"

namespace aaren::training {
namespace {

constexpr int64_t kBatch = 16, kEpochs = 100, kPatience = 10;
constexpr double kRate = 1e-3, kClip = 4;

struct Cases {
  torch::Tensor values;   // [n, N, V], zeros behind a case's end
  torch::Tensor lengths;  // [n]
  torch::Tensor labels;   // [n]

  int64_t count() const { return labels.size(0); }
};

Cases TensorsOf(const classification::LabelledSet& set, int64_t steps) {
  const auto count = static_cast<int64_t>(set.cases.size()), channels = static_cast<int64_t>(set.channels());
  Cases cases = {torch::zeros({count, channels, steps}), torch::empty({count}, torch::kInt64),
                 torch::empty({count}, torch::kInt64)};
  for (int64_t i = 0; i < count; ++i) {
    const classification::LabelledSeries& one = set.cases[i];
    const auto length = static_cast<int64_t>(one.length());
    for (int64_t c = 0; c < channels; ++c) {
      cases.values[i][c].narrow(0, 0, length).copy_(torch::tensor(one.channels[c]));
    }
    cases.lengths[i] = length;
    cases.labels[i] = one.label;
  }
  cases.values = cases.values.transpose(1, 2).contiguous();
  return cases;
}

struct Data {
  Cases train, test;
  int64_t classes = 0;
};

absl::StatusOr<Data> ReadData(const PaperCell& cell, const PaperSettings& settings) {
  const std::string stem = absl::StrCat(settings.data, "/", cell.dataset, "/", cell.dataset);
  std::vector<classification::LabelledSet> sets;
  for (const char* end : {"_TRAIN.ts", "_TEST.ts"}) {
    absl::StatusOr<classification::LabelledSet> set = classification::ReadTsFile(stem + end);
    if (!set.ok()) return set.status();
    classification::FillGaps(*set);
    classification::Standardise(*set);
    if (cell.dataset == "EthanolConcentration") classification::StandardiseCases(*set);
    sets.push_back(*std::move(set));
  }
  if (sets[0].classes != sets[1].classes || sets[0].channels() != sets[1].channels()) {
    return absl::InvalidArgumentError(absl::StrCat(stem, "_TRAIN.ts and ..._TEST.ts differ in classes or channels"));
  }
  const auto steps = static_cast<int64_t>(std::max(sets[0].longest(), sets[1].longest()));
  return Data{.train = TensorsOf(sets[0], steps),
              .test = TensorsOf(sets[1], steps),
              .classes = static_cast<int64_t>(sets[0].classes.size())};
}

class Training {
 public:
  Training(const PaperCell& cell, const PaperSettings& settings, Data data)
      : settings_(settings),
        data_(std::move(data)),
        classifier_(nn::ClassifierOptions{.channels = data_.train.values.size(2),
                                          .steps = data_.train.values.size(1),
                                          .classes = data_.classes,
                                          .aaren = cell.aaren,
                                          .causal_embedding = settings.causal_embedding}),
        optimizer_(classifier_->parameters(), kRate) {}

  PaperResult Run(const EpochReport& report) {
    const int64_t epochs = settings_.epochs > 0 ? settings_.epochs : kEpochs;
    const int64_t patience = settings_.patience > 0 ? settings_.patience : kPatience;
    PaperResult result;
    result.parameters = ParameterCount(*classifier_);
    BestEpoch best(*classifier_);
    while (result.epochs < epochs && best.since() < patience) {
      const double loss = Epoch();
      const double accuracy = Accuracy();
      ++result.epochs;
      best.Take(-accuracy);
      result.curves["training loss"].push_back(loss);
      result.curves["accuracy"].push_back(accuracy);
      report(absl::StrFormat("%d of at most %d, loss %.4f, accuracy %.2f %%", result.epochs, epochs, loss, accuracy));
      // The code base lowers the rate after every fifth epoch only, and then by all epochs passed.
      if (result.epochs % 5 == 0) optimizer_.set_rate(kRate * std::pow(0.5, result.epochs - 1));
    }
    best.Restore();
    Score(result);
    return result;
  }

 private:
  double Epoch() {
    classifier_->train();
    double sum = 0;
    const Cases& train = data_.train;
    for (const torch::Tensor& batch : torch::randperm(train.count()).split(kBatch)) {
      const torch::Tensor logits =
          classifier_(train.values.index_select(0, batch), train.lengths.index_select(0, batch));
      const torch::Tensor loss = torch::nn::functional::cross_entropy(logits, train.labels.index_select(0, batch));
      loss.backward();
      torch::nn::utils::clip_grad_norm_(classifier_->parameters(), kClip);
      optimizer_.Step();
      sum += loss.item<double>() * static_cast<double>(batch.size(0));
    }
    return sum / static_cast<double>(train.count());
  }

  // Probabilities [n, C] of cases of which the first lengths [n] steps were seen.
  torch::Tensor Probabilities(const Cases& cases, const torch::Tensor& lengths) {
    torch::NoGradGuard no_grad;
    classifier_->eval();
    std::vector<torch::Tensor> parts;
    for (const torch::Tensor& batch : torch::arange(cases.count()).split(kBatch)) {
      const torch::Tensor logits = classifier_(cases.values.index_select(0, batch), lengths.index_select(0, batch));
      parts.push_back(torch::softmax(logits, -1));
    }
    return torch::cat(parts);
  }

  double Accuracy() {
    const torch::Tensor classes = Probabilities(data_.test, data_.test.lengths).argmax(-1);
    return 100 * classes.eq(data_.test.labels).to(torch::kFloat64).mean().item<double>();
  }

  // Each case after each share of its length.
  std::vector<classification::Unfolding> Unfold(const Cases& cases) {
    std::vector<classification::Unfolding> all(cases.count());
    for (int share = 0; share < classification::kShares; ++share) {
      const torch::Tensor seen =
          torch::div(cases.lengths * (share + 1) + classification::kShares - 1, classification::kShares, "floor");
      const auto [confidence, classes] = Probabilities(cases, seen).max(-1);
      const torch::Tensor right = classes.eq(cases.labels);
      for (int64_t i = 0; i < cases.count(); ++i) {
        all[i].right[share] = right[i].item<bool>();
        all[i].confidence[share] = confidence[i].item<double>();
      }
    }
    return all;
  }

  void Score(PaperResult& result) {
    const std::vector<classification::Unfolding> test = Unfold(data_.test);
    for (const double accuracy : classification::AccuracyByShare(test)) {
      result.curves["accuracy by share seen"].push_back(100 * accuracy);
    }
    const double threshold = classification::BestThreshold(Unfold(data_.train));
    const classification::EarlyScore early = classification::ScoreEarly(test, threshold);
    result.scores = {{"accuracy %", result.curves["accuracy by share seen"].back()},
                     {"early accuracy %", 100 * early.accuracy},
                     {"early share seen %", 100 * early.earliness},
                     {"early harmonic mean", early.harmonic_mean},
                     {"early threshold", threshold}};
  }

  const PaperSettings& settings_;
  const Data data_;
  nn::Classifier classifier_;
  RAdam optimizer_;
};

}  // namespace

absl::StatusOr<PaperResult> RunClassification(const PaperCell& cell, const PaperSettings& settings,
                                              const EpochReport& report) {
  absl::StatusOr<Data> data = ReadData(cell, settings);
  if (!data.ok()) return data.status();
  PaperResult result = Training(cell, settings, *std::move(data)).Run(report);
  result.deviations = {
      "As in the paper's code base, the test file chooses the epoch: the accuracy is the best over epochs.",
      "The paper does not name the optimiser: RAdam, the code base's since April 2024."};
  return result;
}

}  // namespace aaren::training
