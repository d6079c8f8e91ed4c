#include "client/python/module/model.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/cuda/cuda_engine.h"

namespace aaren::python {
namespace {

std::optional<engine::Tier> TierOf(const std::string& name) {
  for (const engine::Tier tier : {engine::Tier::kExact, engine::Tier::kFast, engine::Tier::kExtended}) {
    if (name == NameOf(tier)) return tier;
  }
  return std::nullopt;
}

absl::Status CheckChoice(const std::string& device, const std::string& tier) {
  if (!TierOf(tier)) {
    return absl::InvalidArgumentError(absl::StrCat("no tier '", tier, "'; there are exact, fast and extended"));
  }
  if (device == "cuda" && tier != NameOf(engine::Tier::kExact)) {
    return absl::InvalidArgumentError(absl::StrCat("a GPU computes the tier exact, not ", tier));
  }
  if (device == "auto" || device == "cpu" || device == "cuda") return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("no device '", device, "'; there are cpu and cuda, and auto picks one"));
}

absl::Status CheckKind(const std::string& folder, const std::string& kind, const std::string& wanted) {
  if (kind == wanted) return absl::OkStatus();
  const bool runs = kind == package::kForecaster || kind == package::kEvents;
  const char* const hint = kind == package::kEvents ? "; EventForecaster runs the model"
                           : runs                   ? "; Forecaster runs the model"
                                                    : ", which does not run in the process";
  return absl::InvalidArgumentError(absl::StrCat(folder, ": the kind is \"", kind, "\", not \"", wanted, "\"", hint));
}

}  // namespace

Model::Model(package::ModelPackage package, std::unique_ptr<engine::Engine> engine, std::string device)
    : package_(std::move(package)), engine_(std::move(engine)), device_(std::move(device)) {}

absl::StatusOr<std::shared_ptr<Model>> Model::Load(const std::string& folder, const std::string& device,
                                                   const std::string& tier, const std::string& kind) {
  if (absl::Status status = CheckChoice(device, tier); !status.ok()) return status;
  absl::StatusOr<package::ModelPackage> package = package::LoadPackage(folder);
  if (!package.ok()) return package.status();
  if (absl::Status status = CheckKind(folder, package->kind, kind); !status.ok()) return status;
  const engine::Tier wanted = *TierOf(tier);
  absl::StatusOr<std::unique_ptr<engine::Engine>> made = absl::UnavailableError("");
  std::string where = "cuda";
  if (device != "cpu" && wanted == engine::Tier::kExact && kind == package::kForecaster)
    made = engine::NewCudaEngine(*package);
  if (!made.ok() && device != "cuda") {
    where = "cpu";
    made = engine::NewCpuEngine(*package, wanted);
  }
  if (!made.ok()) return made.status();
  package->tensors.clear();  // the engine has packed its own
  return std::shared_ptr<Model>(new Model(*std::move(package), *std::move(made), std::move(where)));
}

absl::StatusOr<std::shared_ptr<Model>> Model::Extended(const engine::Extension& extension) const {
  const auto [past, future, profile] = extension;
  if (uint64_t{past} + future > engine::kMostCovariates) {
    return absl::InvalidArgumentError(absl::StrCat(past, " past and ", future, " future covariates; ",
                                                   engine::kMostCovariates, " together are possible"));
  }
  auto model = std::shared_ptr<Model>(new Model(package_, engine_->Extended(extension), device_));
  model->covariates_ = past + future;
  model->future_ = future;
  return model;
}

std::unique_ptr<Worker> Model::Take() {
  // A worker at rest keeps its lane and its memory for the next call.
  if (resting_.empty()) return std::make_unique<Worker>(*this);
  std::unique_ptr<Worker> worker = std::move(resting_.back());
  resting_.pop_back();
  return worker;
}

Rows::Rows(std::shared_ptr<Model> of, size_t count)
    : model(std::move(of)), channels(count), bytes(count * model->engine().row_bytes()) {
  const size_t row_bytes = model->engine().row_bytes();
  for (size_t i = 0; i < channels; ++i) {
    model->engine().ResetRow(absl::MakeSpan(bytes).subspan(i * row_bytes, row_bytes));
  }
}

std::unique_ptr<Rows> Rows::Copy() {
  auto copy = std::make_unique<Rows>(model, channels);
  std::lock_guard<std::mutex> lock(mutex);
  copy->bytes = bytes;
  copy->seq = seq;
  return copy;
}

absl::Status Rows::Restore(absl::string_view from, uint64_t tokens) {
  const size_t row_bytes = model->engine().row_bytes();
  if (from.size() != channels * row_bytes) {
    return absl::DataLossError(
        absl::StrCat("rows: ", from.size(), " bytes for ", channels, " channels of ", row_bytes));
  }
  const auto rows = absl::MakeSpan(reinterpret_cast<const std::byte*>(from.data()), from.size());
  for (size_t i = 0; i < channels; ++i) {
    const absl::StatusOr<uint64_t> taken = model->engine().CheckRow(rows.subspan(i * row_bytes, row_bytes));
    if (!taken.ok()) return taken.status();
    // Each row knows its number of tokens: rows of several sessions do not pass for one session.
    if (*taken != tokens) {
      return absl::DataLossError(
          absl::StrCat("rows: channel ", i, " has taken ", *taken, " tokens, the session ", tokens));
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  bytes.assign(rows.begin(), rows.end());
  seq = tokens;
  return absl::OkStatus();
}

}  // namespace aaren::python
