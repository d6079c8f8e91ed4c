#ifndef AAREN_TESTS_MODEL_ENGINE_STEPPER_H_
#define AAREN_TESTS_MODEL_ENGINE_STEPPER_H_

// Stepper is a lane of an engine, driven one batch at a time. The file also has series and comparisons of engine tests.

#include <cstdint>
#include <memory>
#include <vector>

#include "model/engine/engine.h"

namespace aaren::engine {

// The outputs of a session for some tokens.
struct Outputs {
  std::vector<float> results;    // [wanted, Engine::result_floats()], each followed by the selected part
  std::vector<float> forecasts;  // [wanted, horizon, quantiles], the same in the units of the series
  std::vector<float> surprises;

  void Append(const Outputs& more);
  bool operator==(const Outputs& other) const;  // compares bits: NaN equals NaN
};

// A session's part of a call.
struct Portion {
  Slot slot;
  std::vector<float> values;  // a run's values
  std::vector<uint8_t> forecast;
  Refinement refinement = Refinement::kRestricted;
  Selection selection = {};

  double ValueOf(size_t token) const;
};

class Stepper {
 public:
  explicit Stepper(const package::ModelPackage& package, size_t capacity = 64);

  // Another lane of the same engine.
  explicit Stepper(std::shared_ptr<const Engine> engine, size_t capacity = 64);

  const std::shared_ptr<const Engine>& engine() const { return engine_; }
  Lane& lane() { return *lane_; }

  // The slot of a session that has seen nothing.
  Slot Open();

  // Steps a batch. REQUIRES: the batch succeeds.
  std::vector<Outputs> Step(const std::vector<Portion>& portions);

  // Takes a session's tokens in a single call, with a forecast from each token.
  Outputs Feed(Slot slot, const std::vector<float>& values, Refinement refinement = Refinement::kRestricted);
  Outputs FeedDoubles(Slot slot, const std::vector<double>& values, Refinement refinement = Refinement::kRestricted);

  std::vector<std::byte> RowBytes(Slot slot);
  void SetRow(Slot slot, const std::vector<std::byte>& bytes);

 private:
  std::shared_ptr<const Engine> engine_;
  std::unique_ptr<Lane> lane_;
};

// A random walk with a season, noise, and one missing value in twenty. No function whose bits differ between machines
// is used.
std::vector<float> Series(uint64_t seed, size_t length);

// A fingerprint of the bits, to compare two runs by a single number.
uint64_t Fingerprint(const std::vector<float>& values);
uint64_t Fingerprint(const std::vector<std::byte>& bytes);

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_STEPPER_H_
