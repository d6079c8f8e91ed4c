#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "model/nn/encoder/seq2seq.h"
#include "model/tasks/seq2seq/dated_table.h"
#include "model/training/paper/experiments/best_epoch.h"
#include "model/training/paper/experiments/experiment.h"

namespace aaren::training {
namespace {

constexpr int64_t kInput = 96, kLabel = 48, kBatch = 32, kEpochs = 10, kPatience = 3;
constexpr double kRate = 1e-4;

// "ETTh1-96" is dataset ETTh1 with horizon 96.
struct Name {
  std::string dataset;
  int64_t horizon = 0;
};

Name NameOf(const PaperCell& cell) {
  const std::vector<std::string> parts = absl::StrSplit(cell.dataset, '-');
  Name name = {.dataset = parts.front()};
  (void)absl::SimpleAtoi(parts.back(), &name.horizon);
  return name;
}

int64_t ProtocolEpochs(const PaperCell& cell) {
  if (NameOf(cell).dataset == "Traffic" || cell.dataset == "Weather-96") return 3;
  return cell.dataset == "Exchange-336" ? 1 : kEpochs;
}

struct Windows {
  torch::Tensor values, clock;  // [rows, V] and [rows, 4] of the whole table
  int64_t horizon = 0;

  // The first input rows of all windows whose targets are in the part.
  torch::Tensor StartsOf(const seq2seq::Rows& part) const {
    return torch::arange(std::max(int64_t{0}, part.begin - kInput), part.end - kInput - horizon + 1);
  }
};

struct Batch {
  torch::Tensor input, clock, decoder_clock, target;
};

// Rows start + first .. start + first + count - 1 of `table` for each start.
torch::Tensor RowsOf(const torch::Tensor& table, const torch::Tensor& starts, int64_t first, int64_t count) {
  const torch::Tensor rows = starts.unsqueeze(1) + torch::arange(first, first + count);
  return table.index_select(0, rows.flatten()).unflatten(0, {starts.size(0), count});
}

Batch BatchOf(const Windows& windows, const torch::Tensor& starts) {
  return {.input = RowsOf(windows.values, starts, 0, kInput),
          .clock = RowsOf(windows.clock, starts, 0, kInput),
          .decoder_clock = RowsOf(windows.clock, starts, kInput - kLabel, kLabel + windows.horizon),
          .target = RowsOf(windows.values, starts, kInput, windows.horizon)};
}

nn::Seq2SeqOptions Sizes(nn::Seq2SeqOptions options, const PaperSettings& settings) {
  options.causal_embedding = settings.causal_embedding;
  if (settings.width > 0) options.width = settings.width, options.mlp_width = 4 * settings.width;
  return options;
}

class Training {
 public:
  Training(const PaperCell& cell, const PaperSettings& settings, Windows windows, const seq2seq::Parts& parts)
      : epochs_(settings.epochs > 0 ? settings.epochs : ProtocolEpochs(cell)),
        patience_(settings.patience > 0 ? settings.patience : kPatience),
        windows_(std::move(windows)),
        parts_(parts),
        model_(Sizes(nn::Seq2SeqOptions{.channels = windows_.values.size(1),
                                        .clock_numbers = seq2seq::kClockNumbers,
                                        .label_steps = kLabel,
                                        .horizon = windows_.horizon,
                                        .aaren = cell.aaren},
                     settings)),
        optimizer_(model_->parameters(), torch::optim::AdamOptions(kRate)) {}

  PaperResult Run(const EpochReport& report) {
    PaperResult result;
    result.parameters = ParameterCount(*model_);
    BestEpoch best(*model_);
    while (result.epochs < epochs_ && best.since() < patience_) {
      const double loss = Epoch();
      const double validation = Validate();
      ++result.epochs;
      best.Take(validation);
      result.curves["training loss"].push_back(loss);
      result.curves["validation loss"].push_back(validation);
      report(absl::StrFormat("%d of at most %d, loss %.4f, validation %.4f", result.epochs, epochs_, loss, validation));
      const double rate = kRate * std::pow(0.5, result.epochs - 1);
      static_cast<torch::optim::AdamOptions&>(optimizer_.param_groups()[0].options()).lr(rate);
    }
    best.Restore();
    Test(result);
    return result;
  }

 private:
  torch::Tensor Forecast(const Batch& batch) { return model_(batch.input, batch.clock, batch.decoder_clock); }

  // Whole batches only, in training and validation, as in the code base.
  template <class Use>
  double MeanOver(const torch::Tensor& starts, const Use& use) {
    double sum = 0;
    const int64_t batches = std::max(int64_t{1}, starts.size(0) / kBatch);
    for (int64_t i = 0; i < batches; ++i) {
      const int64_t size = std::min(kBatch, starts.size(0));
      sum += use(BatchOf(windows_, starts.narrow(0, i * size, size)));
    }
    return sum / static_cast<double>(batches);
  }

  double Epoch() {
    model_->train();
    const torch::Tensor starts = windows_.StartsOf(parts_.train);
    return MeanOver(starts.index_select(0, torch::randperm(starts.size(0))), [&](const Batch& batch) {
      const torch::Tensor loss = torch::mse_loss(Forecast(batch), batch.target);
      optimizer_.zero_grad();
      loss.backward();
      optimizer_.step();
      return loss.item<double>();
    });
  }

  double Validate() {
    torch::NoGradGuard no_grad;
    model_->eval();
    return MeanOver(windows_.StartsOf(parts_.validation), [&](const Batch& batch) {
      return torch::mse_loss(Forecast(batch), batch.target).template item<double>();
    });
  }

  // Over every window of the test part.
  void Test(PaperResult& result) {
    torch::NoGradGuard no_grad;
    model_->eval();
    const torch::Tensor starts = windows_.StartsOf(parts_.test);
    double squares = 0, sizes = 0;
    for (const torch::Tensor& some : starts.split(kBatch)) {
      const Batch batch = BatchOf(windows_, some);
      const torch::Tensor error = (Forecast(batch) - batch.target).to(torch::kFloat64);
      squares += error.square().mean({1, 2}).sum().item<double>();
      sizes += error.abs().mean({1, 2}).sum().item<double>();
    }
    const auto count = static_cast<double>(starts.size(0));
    result.scores = {{"MSE", squares / count}, {"MAE", sizes / count}};
  }

  const int64_t epochs_, patience_;
  const Windows windows_;
  const seq2seq::Parts parts_;
  nn::Seq2Seq model_;
  torch::optim::Adam optimizer_;
};

}  // namespace

absl::StatusOr<PaperResult> RunForecasting(const PaperCell& cell, const PaperSettings& settings,
                                           const EpochReport& report) {
  const auto [dataset, horizon] = NameOf(cell);
  // The public copies of the ETT files have upper case in their names, the others lower case.
  const std::string file = dataset.substr(0, 3) == "ETT" ? dataset : absl::AsciiStrToLower(dataset);
  const std::string path = absl::StrCat(settings.data, "/", dataset, "/", file, ".csv");
  absl::StatusOr<seq2seq::DatedTable> table = seq2seq::ReadDatedTable(path);
  if (!table.ok()) return table.status();
  const seq2seq::Parts parts = seq2seq::PartsOf(dataset, table->rows());
  if (parts.test.end > table->rows() || parts.validation.end - parts.validation.begin < horizon) {
    return absl::InvalidArgumentError(absl::StrCat(path, " has ", table->rows(), " rows, too few for ", cell.dataset));
  }
  seq2seq::Standardise(parts.train, *table);
  const Windows windows = {.values = torch::tensor(table->values).view({table->rows(), -1}),
                           .clock = torch::tensor(table->clock).view({table->rows(), -1}),
                           .horizon = horizon};
  PaperResult result = Training(cell, settings, windows, parts).Run(report);
  result.deviations = {
      "Every window of the test part is scored.",
      "The paper does not say how an Aaren enters the decoder: attention over the encoder stays softmax."};
  return result;
}

}  // namespace aaren::training
