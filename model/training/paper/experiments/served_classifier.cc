#include "model/training/paper/experiments/served_classifier.h"

#include <torch/torch.h>

#include <cmath>
#include <exception>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/nn/encoder/classifier_export.h"
#include "model/training/paper/experiments/best_epoch.h"
#include "model/training/paper/experiments/classifier_training.h"

namespace aaren::training {
namespace {

constexpr int64_t kHeldBack = 5;  // one case in so many of each class

struct Data {
  package::ClassifierConfig config;
  Cases train;
  std::optional<Cases> test;
};

// Numbers as the engine sees them.
Cases Prepared(classification::LabelledSet set, const package::ClassifierConfig& config) {
  classification::Standardise(config.means, config.deviations, set);
  classification::HoldLast(set);
  return CasesOf(set, config.steps);
}

absl::StatusOr<Data> ReadData(const ServedClassifierOptions& options) {
  absl::StatusOr<classification::LabelledSet> train = classification::ReadTsFile(options.train);
  if (!train.ok()) return train.status();
  Data data;
  data.config.steps = static_cast<int>(train->longest());
  data.config.classes = train->classes;
  for (const classification::ChannelScale& scale : classification::ScalesOf(*train)) {
    data.config.means.push_back(scale.mean);
    // A channel that never moved in training keeps its unit.
    data.config.deviations.push_back(scale.deviation > 0 ? scale.deviation : 1);
  }
  const absl::Status valid = data.config.Validate();
  if (!valid.ok()) return absl::InvalidArgumentError(absl::StrCat(options.train, ": ", valid.message()));
  data.train = Prepared(*std::move(train), data.config);
  if (options.test.empty()) return data;
  absl::StatusOr<classification::LabelledSet> test = classification::ReadTsFile(options.test);
  if (!test.ok()) return test.status();
  if (test->classes != data.config.classes || test->channels() != data.config.channels()) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.train, " and ", options.test, " differ in classes or channels"));
  }
  data.test = Prepared(*std::move(test), data.config);
  return data;
}

struct Split {
  Cases train, held_back;
};

absl::StatusOr<Split> SplitOf(const Cases& cases, const package::ClassifierConfig& config) {
  std::vector<torch::Tensor> kept, held;
  for (size_t c = 0; c < config.classes.size(); ++c) {
    const torch::Tensor own = cases.labels.eq(static_cast<int64_t>(c)).nonzero().squeeze(1);
    const int64_t count = own.size(0);
    if (count == 0) continue;
    if (count == 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("the class \"", config.classes[c], "\" has a single case; two are needed, one to check by"));
    }
    const torch::Tensor order = own.index_select(0, torch::randperm(count));
    const int64_t back = (count + kHeldBack - 1) / kHeldBack;
    held.push_back(order.narrow(0, 0, back));
    kept.push_back(order.narrow(0, back, count - back));
  }
  return Split{cases.Select(torch::cat(kept)), cases.Select(torch::cat(held))};
}

class Runs {
 public:
  Runs(const ServedClassifierOptions& options, const Data& data, const EpochReport& report,
       const std::function<bool()>& goes_on)
      : options_(options), data_(data), report_(report), goes_on_(goes_on) {}

  absl::StatusOr<ServedClassifier> Run() {
    ServedClassifier made;
    made.config = data_.config;
    const absl::StatusOr<Split> split = SplitOf(data_.train, data_.config);
    if (!split.ok())
      return absl::Status(split.status().code(), absl::StrCat(options_.train, ": ", split.status().message()));
    if (absl::Status status = Choose(*split, made); !status.ok()) return status;
    return Keep(std::move(made));
  }

 private:
  nn::ClassifierOptions Sizes() const {
    return {.channels = static_cast<int64_t>(data_.config.channels()),
            .steps = data_.config.steps,
            .classes = static_cast<int64_t>(data_.config.classes.size()),
            .aaren = true,
            .causal_embedding = true};
  }

  absl::StatusOr<double> Epoch(int64_t epoch, const Cases& cases, ClassifierTraining& training) const {
    if (!goes_on_()) return absl::CancelledError("interrupted");
    training.set_rate(kClassifierRate * (1 - static_cast<double>(epoch) / static_cast<double>(options_.epochs)));
    return training.Epoch(cases);
  }

  // The first run: chooses the number of epochs and the threshold.
  absl::Status Choose(const Split& split, ServedClassifier& made) const {
    ClassifierTraining training(Sizes());
    BestEpoch best(*training.classifier());
    for (int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
      const absl::StatusOr<double> loss = Epoch(epoch, split.train, training);
      if (!loss.ok()) return loss.status();
      const double held_out = training.Loss(split.held_back);
      best.Take(held_out);
      if (best.since() == 0) made.epochs = epoch + 1, made.held_out_loss = held_out;
      report_(absl::StrFormat("epoch %d of %d, loss %.4f, on cases held back %.4f", epoch + 1, options_.epochs, *loss,
                              held_out));
    }
    best.Restore();
    made.held_out_accuracy = training.Accuracy(split.held_back);
    made.threshold = classification::BestThreshold(training.Unfold(split.held_back));
    return absl::OkStatus();
  }

  // The second run, on all cases.
  absl::StatusOr<ServedClassifier> Keep(ServedClassifier made) const {
    ClassifierTraining training(Sizes());
    made.parameters = ParameterCount(*training.classifier());
    for (int64_t epoch = 0; epoch < made.epochs; ++epoch) {
      const absl::StatusOr<double> loss = Epoch(epoch, data_.train, training);
      if (!loss.ok()) return loss.status();
      report_(absl::StrFormat("epoch %d of %d on all cases, loss %.4f", epoch + 1, made.epochs, *loss));
    }
    if (data_.test) made.test = training.Unfold(*data_.test);
    absl::StatusOr<std::map<std::string, package::Tensor>> tensors = nn::ClassifierTensors(training.classifier());
    if (!tensors.ok()) return tensors.status();
    made.tensors = *std::move(tensors);
    return made;
  }

  const ServedClassifierOptions& options_;
  const Data& data_;
  const EpochReport& report_;
  const std::function<bool()>& goes_on_;
};

}  // namespace

absl::StatusOr<ServedClassifier> TrainServedClassifier(const ServedClassifierOptions& options,
                                                       const EpochReport& report,
                                                       const std::function<bool()>& goes_on) {
  try {
    torch::manual_seed(options.seed);
    const absl::StatusOr<Data> data = ReadData(options);
    if (!data.ok()) return data.status();
    return Runs(options, *data, report, goes_on).Run();
  } catch (const c10::Error& e) {  // torch's own errors end here, without the stack of what()
    return absl::InternalError(e.what_without_backtrace());
  } catch (const std::exception& e) {
    return absl::InternalError(e.what());
  }
}

}  // namespace aaren::training
