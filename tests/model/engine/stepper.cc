#include "tests/model/engine/stepper.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "model/engine/forecast_result.h"
#include "tests/model/engine/tested_engine.h"

namespace aaren::engine {
namespace {

std::shared_ptr<const Engine> MakeEngine(const package::ModelPackage& package) {
  absl::StatusOr<std::unique_ptr<Engine>> engine = NewTestedEngine(package);
  EXPECT_TRUE(engine.ok()) << engine.status();
  return *std::move(engine);
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

// The quantiles of results of `size` floats, each followed by `selected` floats, in the units of the series.
std::vector<float> Absolute(const std::vector<float>& results, size_t size, size_t selected) {
  std::vector<float> forecasts;
  const size_t quantiles = size - ResultTail::kFloats;
  for (size_t begin = 0; begin < results.size(); begin += size + selected) {
    const ResultTail tail = ResultTail::Of(&results[begin], quantiles);
    for (size_t i = begin; i < begin + quantiles; ++i) forecasts.push_back(tail.AbsoluteFloat(results[i]));
  }
  return forecasts;
}

}  // namespace

double Portion::ValueOf(size_t token) const { return ValueAt(values, forecast.size(), token); }

void Outputs::Append(const Outputs& more) {
  results.insert(results.end(), more.results.begin(), more.results.end());
  forecasts.insert(forecasts.end(), more.forecasts.begin(), more.forecasts.end());
  surprises.insert(surprises.end(), more.surprises.begin(), more.surprises.end());
}

bool Outputs::operator==(const Outputs& other) const {
  return SameBits(results, other.results) && SameBits(surprises, other.surprises);
}

Stepper::Stepper(const package::ModelPackage& package, size_t capacity) : Stepper(MakeEngine(package), capacity) {}

Stepper::Stepper(std::shared_ptr<const Engine> engine, size_t capacity)
    : engine_(std::move(engine)), lane_(engine_->NewLane(capacity)) {}

Slot Stepper::Open() {
  Slot slot;
  EXPECT_TRUE(lane_->Allocate({&slot, 1}).ok());
  EXPECT_TRUE(lane_->Reset({&slot, 1}).ok());
  return slot;
}

std::vector<Outputs> Stepper::Step(const std::vector<Portion>& portions) {
  const size_t size = engine_->result_floats();
  std::vector<Outputs> outputs(portions.size());
  std::vector<Run> runs;
  for (size_t i = 0; i < portions.size(); ++i) {
    const Portion& portion = portions[i];
    size_t wanted = 0;
    for (uint8_t flag : portion.forecast) wanted += flag != 0;
    outputs[i].results.resize(wanted * (size + portion.selection.floats()));
    outputs[i].surprises.resize(portion.forecast.size());
    runs.push_back({.slot = portion.slot,
                    .values = portion.values,
                    .forecast = portion.forecast,
                    .forecasts = outputs[i].results.data(),
                    .surprises = outputs[i].surprises.data(),
                    .refinement = portion.refinement,
                    .selection = &portion.selection});
  }
  const absl::StatusOr<Ticket> ticket = lane_->Submit(runs);
  const absl::Status status = ticket.ok() ? lane_->Wait(*ticket) : ticket.status();
  EXPECT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < portions.size(); ++i) {
    outputs[i].forecasts = Absolute(outputs[i].results, size, portions[i].selection.floats());
  }
  return outputs;
}

Outputs Stepper::FeedDoubles(Slot slot, const std::vector<double>& values, Refinement refinement) {
  const std::vector<uint8_t> wanted(values.size(), 1);
  return Step({{.slot = slot, .values = RunValues(values), .forecast = wanted, .refinement = refinement}})[0];
}

Outputs Stepper::Feed(Slot slot, const std::vector<float>& values, Refinement refinement) {
  const std::vector<uint8_t> wanted(values.size(), 1);
  return Step({{.slot = slot, .values = values, .forecast = wanted, .refinement = refinement}})[0];
}

std::vector<std::byte> Stepper::RowBytes(Slot slot) {
  std::vector<std::byte> bytes(engine_->row_bytes());
  const RowRead row{slot, bytes.data()};
  EXPECT_TRUE(lane_->Read({&row, 1}).ok());
  return bytes;
}

void Stepper::SetRow(Slot slot, const std::vector<std::byte>& bytes) {
  const RowWrite row{slot, bytes.data()};
  EXPECT_TRUE(lane_->Write({&row, 1}).ok());
}

std::vector<float> Series(uint64_t seed, size_t length) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; };
  std::vector<float> series;
  double walk = 100.0 * uniform();
  for (size_t t = 0; t < length; ++t) {
    walk += uniform();
    const double season = static_cast<double>((t * 3 + seed) % 24) - 12.0;
    const float value = static_cast<float>(walk + (season < 0 ? -season : season) + uniform());
    series.push_back(random() % 20 == 0 ? std::numeric_limits<float>::quiet_NaN() : value);
  }
  return series;
}

// FNV-1a.
uint64_t Fingerprint(const std::vector<std::byte>& bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (std::byte byte : bytes) hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

uint64_t Fingerprint(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return Fingerprint(bytes);
}

}  // namespace aaren::engine
