#ifndef AAREN_TESTS_E2E_SOAK_JUDGE_ORACLE_H_
#define AAREN_TESTS_E2E_SOAK_JUDGE_ORACLE_H_

// The Oracle knows every forecast: it steps the engine itself, a row a channel and a value a call, over the tokens of a
// Series, apart from any server. A Track has the rows and answers of a series.
//
// Rows are kept at the beginnings of windows of 64 tokens, answers for the last windows only: older answers are
// computed again. Threading: an Oracle and its Tracks may be used from any thread.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "model/engine/engine.h"
#include "model/package/package.h"
#include "tests/e2e/soak/judge/series.h"

namespace aaren::soak {

// Answers to tokens begin .. begin + kTokens - 1. Tokens without a forecast have NaN.
struct Window {
  static constexpr uint64_t kTokens = 64;
  uint64_t begin = 0;
  std::vector<float> forecasts;  // [kTokens, channels, horizon, quantiles]
  std::vector<float> surprises;  // [kTokens, channels]
};

class Oracle {
 public:
  static absl::StatusOr<std::unique_ptr<Oracle>> Load(const std::string& package_folder);

  const package::ModelPackage& package() const { return package_; }
  const engine::Engine& engine() const { return *engine_; }
  size_t forecast_floats() const { return static_cast<size_t>(config().horizon) * config().quantiles.size(); }
  const package::ForecasterConfig& config() const { return package_.config; }

 private:
  package::ModelPackage package_;
  std::unique_ptr<engine::Engine> engine_;
};

class Track {
 public:
  Track(const Oracle& oracle, std::shared_ptr<const Series> series, std::shared_ptr<Track> parent)
      : oracle_(oracle), series_(std::move(series)), parent_(std::move(parent)) {}

  const std::shared_ptr<const Series>& series() const { return series_; }

  // The window with seq.
  std::shared_ptr<const Window> WindowOf(uint64_t seq, bool calibrated);

  // Forgets everything that can be computed again.
  void Trim();

 private:
  using Rows = std::vector<std::vector<std::byte>>;  // [channels][row_bytes]

  Rows RowsAt(uint64_t window);
  Rows FindRows(uint64_t window) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<const Window> Compute(uint64_t window, bool calibrated) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StepChannel(uint32_t channel, bool calibrated, std::vector<std::byte>& row, Window& window) const;

  const Oracle& oracle_;
  const std::shared_ptr<const Series> series_;
  const std::shared_ptr<Track> parent_;
  absl::Mutex mutex_;
  std::map<uint64_t, Rows> rows_ ABSL_GUARDED_BY(mutex_);                 // by window
  std::shared_ptr<const Window> latest_[2] ABSL_GUARDED_BY(mutex_) = {};  // by calibrated
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_JUDGE_ORACLE_H_
