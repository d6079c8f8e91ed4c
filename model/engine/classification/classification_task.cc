#include "model/engine/classification/classification_task.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/classification/classifier_package.h"
#include "model/engine/classification/network.h"
#include "model/engine/classification/row_check.h"
#include "model/engine/forecast_result.h"

namespace aaren::classification {
namespace {

struct Batch final : engine::Task::Scratch {
  Batch(Tile made, size_t channels) : tile(std::move(made)), token(channels) {}

  Tile tile;
  std::vector<float> token;  // [V], standardised
};

class ClassificationTask final : public engine::Task {
 public:
  explicit ClassificationTask(const package::ModelPackage& package)
      : config_(package.classifier),
        form_(config_.channels(), config_.classes.size()),
        network_(package),
        bounds_(package) {}

  std::unique_ptr<Scratch> NewScratch() const override {
    return std::make_unique<Batch>(network_.NewTile(), config_.channels());
  }
  size_t row_bytes() const override { return form_.bytes(); }
  size_t task_bytes() const override { return form_.bytes(); }
  size_t result_floats() const override { return config_.classes.size(); }
  void ResetRow(absl::Span<std::byte> row) const override { form_.Reset(row, network_.bias()); }
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override;
  std::vector<double> Remembered(absl::Span<const std::byte>) const override { return {}; }
  uint64_t& claim(std::byte* row) const override { return form_.View(row).header->claimed; }
  absl::Status CheckRun(const engine::Run& run) const override;
  void Take(const engine::Run& run, std::byte* row, Scratch& scratch) const override;
  void Begin(Scratch&) const override {}
  bool Done(Scratch&) const override { return true; }
  absl::Status Finish(Scratch& scratch) const override;

 private:
  size_t token_floats() const { return engine::kFloatsOfDouble * config_.channels(); }
  void Standardise(const float* numbers, const float* last, std::vector<float>& token) const;

  const package::ClassifierConfig config_;
  const RowForm form_;
  const Network network_;
  const RowBounds bounds_;
};

absl::StatusOr<uint64_t> ClassificationTask::CheckRow(absl::Span<const std::byte> row) const {
  if (row.size() != form_.bytes()) {
    return absl::DataLossError(absl::StrCat("the row has ", row.size(), " bytes, not ", form_.bytes()));
  }
  // A row from outside may be unaligned.
  std::vector<double> copy(row.size() / sizeof(double)), empty(copy.size());
  std::memcpy(copy.data(), row.data(), row.size());
  const RowView view = form_.View(reinterpret_cast<std::byte*>(copy.data()));
  if (view.header->claimed != 0) {
    return absl::DataLossError(absl::StrCat("claimed is ", view.header->claimed, ", not 0"));
  }
  if (view.header->count == 0) {
    ResetRow({reinterpret_cast<std::byte*>(empty.data()), row.size()});
    if (std::memcmp(copy.data(), empty.data(), row.size()) == 0) return 0;
    return absl::DataLossError("count is 0, but the row is no new row");
  }
  if (absl::Status status = bounds_.Check(view); !status.ok()) return status;
  return view.header->count;
}

absl::Status ClassificationTask::CheckRun(const engine::Run& run) const {
  if (run.values.size() != token_floats() * run.forecast.size()) {
    return absl::InvalidArgumentError(absl::StrCat("has ", run.values.size(), " floats for ", run.forecast.size(),
                                                   " tokens, not ", token_floats(), " a token"));
  }
  const bool wants = std::any_of(run.forecast.begin(), run.forecast.end(), [](uint8_t flag) { return flag != 0; });
  if (wants && run.forecasts == nullptr) return absl::InvalidArgumentError("wants a result, but has no place for it");
  return absl::OkStatus();
}

void ClassificationTask::Standardise(const float* numbers, const float* last, std::vector<float>& token) const {
  for (size_t v = 0; v < token.size(); ++v) {
    const double number = engine::DoubleAt(numbers + engine::kFloatsOfDouble * v);
    const double scaled = (number - config_.means[v]) / config_.deviations[v], most = kMostDeviations;
    token[v] = std::isnan(number) ? last[v] : static_cast<float>(std::clamp(scaled, -most, most));
  }
}

void ClassificationTask::Take(const engine::Run& run, std::byte* bytes, Scratch& scratch) const {
  Batch& batch = static_cast<Batch&>(scratch);
  const RowView row = form_.View(bytes);
  const float* const last = row.recent + (kWindow - 2) * config_.channels();
  float* result = run.forecasts;
  for (size_t i = 0; i < run.forecast.size(); ++i) {
    Standardise(&run.values[i * token_floats()], last, batch.token);
    float* const place = run.forecast[i] != 0 ? std::exchange(result, result + result_floats()) : nullptr;
    network_.Take(batch.token.data(), row, place, batch.tile);
    if (batch.tile.size == kTile) network_.Pass(batch.tile);
    // A class has no place in the forecast before.
    if (run.surprises != nullptr) run.surprises[i] = std::numeric_limits<float>::quiet_NaN();
  }
}

absl::Status ClassificationTask::Finish(Scratch& scratch) const {
  network_.Pass(static_cast<Batch&>(scratch).tile);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<engine::Task>> NewClassificationTask(const package::ModelPackage& package) {
  if (absl::Status status = CheckClassifierPackage(package); !status.ok()) return status;
  return std::make_unique<ClassificationTask>(package);
}

}  // namespace aaren::classification
