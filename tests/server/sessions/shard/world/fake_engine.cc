#include "tests/server/sessions/shard/world/fake_engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/engine/cpu/host_lane.h"

namespace aaren::shard {
namespace {

constexpr uint64_t kMagic = 0x776f722d656b6166;
constexpr int kHorizon = 4;

struct FakeRow {
  uint64_t magic = kMagic;
  uint64_t seq = 0;
  double state = 0;
  float forecast = std::numeric_limits<float>::quiet_NaN();  // the first number of the last token's
};

FakeRow Read(absl::Span<const std::byte> bytes) {
  FakeRow row;
  std::memcpy(&row, bytes.data(), sizeof(row));
  return row;
}

void Write(const FakeRow& row, absl::Span<std::byte> bytes) { std::memcpy(bytes.data(), &row, sizeof(row)); }

}  // namespace

FakeEngine::FakeEngine(size_t row_bytes) : row_bytes_(row_bytes) {}

package::ForecasterConfig FakeEngine::Config() {
  package::ForecasterConfig config;
  config.horizon = kHorizon;
  config.quantiles = {0.1f, 0.5f, 0.9f};
  return config;
}

void FakeEngine::ResetRow(absl::Span<std::byte> row) const {
  std::memset(row.data(), 0, row.size());
  Write(FakeRow(), row);
}

absl::StatusOr<uint64_t> FakeEngine::CheckRow(absl::Span<const std::byte> bytes) const {
  if (bytes.size() != row_bytes_) return absl::DataLossError(absl::StrCat("row of ", bytes.size(), " bytes"));
  const FakeRow row = Read(bytes);
  if (row.magic != kMagic) return absl::DataLossError(absl::StrCat("magic is ", row.magic));
  return row.seq;
}

void FakeEngine::Advance(const engine::Run& run, absl::Span<std::byte> bytes) const {
  FakeRow row = Read(bytes);
  float* out = run.forecasts;
  for (size_t t = 0; t < run.forecast.size(); ++t) {
    const auto taken = static_cast<float>(engine::ValueAt(run.values, run.forecast.size(), t));
    const float value = std::isnan(taken) ? 0 : taken;
    if (run.surprises != nullptr) run.surprises[t] = value - row.forecast;
    row.state = 0.75 * row.state + value;
    ++row.seq;
    row.forecast = std::numeric_limits<float>::quiet_NaN();
    if (!run.forecast[t]) continue;
    row.forecast = static_cast<float>(row.state);
    for (int h = 0; h < kHorizon; ++h) {
      for (int q = 0; q < 3; ++q) *out++ = static_cast<float>(row.state + 10 * h + q);
    }
    out = std::fill_n(out, engine::ResultTail::kFloats, 0.0f);
  }
  Write(row, bytes);
}

class FakeEngine::FakeLane final : public engine::HostLane {
 public:
  FakeLane(const FakeEngine& engine, size_t capacity_rows) : engine::HostLane(engine, capacity_rows), engine_(engine) {}

  absl::Status Read(absl::Span<const engine::RowRead> rows) override {
    return engine_.fail_next_copy_.exchange(false) ? absl::InternalError("told to fail") : engine::HostLane::Read(rows);
  }
  absl::Status Write(absl::Span<const engine::RowWrite> rows) override {
    return engine_.fail_next_copy_.exchange(false) ? absl::InternalError("told to fail")
                                                   : engine::HostLane::Write(rows);
  }

 private:
  absl::Status Step(absl::Span<const engine::Run> runs, engine::StateSlab& rows) override {
    return engine_.Step(runs, rows);
  }

  const FakeEngine& engine_;
};

std::unique_ptr<engine::Lane> FakeEngine::NewLane(size_t capacity_rows) const {
  return std::make_unique<FakeLane>(*this, capacity_rows);
}

absl::Status FakeEngine::Step(absl::Span<const engine::Run> runs, engine::StateSlab& rows) const {
  ++calls_;
  if (fail_next_.exchange(false)) return absl::InternalError("told to fail");
  for (const engine::Run& run : runs) {
    const absl::Span<std::byte> row = rows.Row(run.slot);
    if (row.empty()) return absl::InvalidArgumentError("stale slot");
    Advance(run, row);
  }
  return absl::OkStatus();
}

std::vector<std::vector<float>> FakeEngine::Forecasts(const std::vector<float>& values) const {
  std::vector<std::byte> row(row_bytes_);
  ResetRow(absl::MakeSpan(row));
  std::vector<std::vector<float>> all;
  for (const float& value : values) {
    const uint8_t wanted = 1;
    std::vector<float>& forecast = all.emplace_back(kHorizon * 3 + engine::ResultTail::kFloats);
    Advance({{}, {&value, 1}, {&wanted, 1}, forecast.data(), nullptr}, absl::MakeSpan(row));
  }
  return all;
}

namespace {

template <typename MakeEngine>
std::unique_ptr<models::ModelTable> Models(MakeEngine make_engine) {
  auto models = std::make_unique<models::ModelTable>();
  for (const auto& [name, version] : {std::pair("sum", 1), std::pair("sum", 2), std::pair("other", 1)}) {
    package::ModelPackage package;
    package.name = name;
    package.version = version;
    package.config = FakeEngine::Config();
    package.digest = absl::StrCat("digest-", name, "-", version);
    models->Add(std::move(package), make_engine()).IgnoreError();
  }
  return models;
}

}  // namespace

std::unique_ptr<models::ModelTable> FakeModels(size_t row_bytes) {
  return Models([row_bytes] { return std::make_unique<FakeEngine>(row_bytes); });
}

std::unique_ptr<models::ModelTable> LateModels() {
  return Models([] { return std::make_unique<LateEngine>(std::make_unique<FakeEngine>()); });
}

std::vector<LateEngine*> LateEnginesOf(const models::ModelTable& models) {
  std::vector<LateEngine*> engines;
  for (const auto& model : models.tiers()) {
    if (auto* engine = dynamic_cast<LateEngine*>(model->engine.get())) engines.push_back(engine);
  }
  return engines;
}

FakeEngine& FakeEngineOf(const models::ModelTable& models, const std::string& name) {
  engine::Engine& engine = *models.Find(name).value()->engine;
  auto* late = dynamic_cast<LateEngine*>(&engine);
  return static_cast<FakeEngine&>(late != nullptr ? late->inner() : engine);
}

}  // namespace aaren::shard
