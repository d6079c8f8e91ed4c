#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/tasks/classification/earliness.h"
#include "model/tasks/classification/ts_file.h"
#include "model/training/paper/experiments/best_epoch.h"
#include "model/training/paper/experiments/classifier_training.h"
#include "model/training/paper/experiments/experiment.h"

namespace aaren::training {
namespace {

constexpr int64_t kEpochs = 100, kPatience = 10;

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
  return Data{.train = CasesOf(sets[0], steps),
              .test = CasesOf(sets[1], steps),
              .classes = static_cast<int64_t>(sets[0].classes.size())};
}

nn::ClassifierOptions OptionsOf(const PaperCell& cell, const PaperSettings& settings, const Data& data) {
  return {.channels = data.train.values.size(2),
          .steps = data.train.values.size(1),
          .classes = data.classes,
          .aaren = cell.aaren,
          .causal_embedding = settings.causal_embedding};
}

void Score(const Data& data, ClassifierTraining& training, PaperResult& result) {
  const std::vector<classification::Unfolding> test = training.Unfold(data.test);
  for (const double accuracy : classification::AccuracyByShare(test)) {
    result.curves["accuracy by share seen"].push_back(100 * accuracy);
  }
  const double threshold = classification::BestThreshold(training.Unfold(data.train));
  const classification::EarlyScore early = classification::ScoreEarly(test, threshold);
  result.scores = {{"accuracy %", result.curves["accuracy by share seen"].back()},
                   {"early accuracy %", 100 * early.accuracy},
                   {"early share seen %", 100 * early.earliness},
                   {"early harmonic mean", early.harmonic_mean},
                   {"early threshold", threshold}};
}

PaperResult Train(const Data& data, const PaperSettings& settings, ClassifierTraining& training,
                  const EpochReport& report) {
  const int64_t epochs = settings.epochs > 0 ? settings.epochs : kEpochs;
  const int64_t patience = settings.patience > 0 ? settings.patience : kPatience;
  PaperResult result;
  result.parameters = ParameterCount(*training.classifier());
  BestEpoch best(*training.classifier());
  while (result.epochs < epochs && best.since() < patience) {
    const double loss = training.Epoch(data.train);
    const double accuracy = training.Accuracy(data.test);
    ++result.epochs;
    best.Take(-accuracy);
    result.curves["training loss"].push_back(loss);
    result.curves["accuracy"].push_back(accuracy);
    report(absl::StrFormat("%d of at most %d, loss %.4f, accuracy %.2f %%", result.epochs, epochs, loss, accuracy));
    // The code base lowers the rate after every fifth epoch only, and then by all epochs passed.
    if (result.epochs % 5 == 0) training.set_rate(kClassifierRate * std::pow(0.5, result.epochs - 1));
  }
  best.Restore();
  Score(data, training, result);
  return result;
}

}  // namespace

absl::StatusOr<PaperResult> RunClassification(const PaperCell& cell, const PaperSettings& settings,
                                              const EpochReport& report) {
  absl::StatusOr<Data> data = ReadData(cell, settings);
  if (!data.ok()) return data.status();
  ClassifierTraining training(OptionsOf(cell, settings, *data));
  PaperResult result = Train(*data, settings, training, report);
  result.deviations = {
      "As in the paper's code base, the test file chooses the epoch: the accuracy is the best over epochs.",
      "The paper does not name the optimiser: RAdam, the code base's since April 2024."};
  return result;
}

}  // namespace aaren::training
