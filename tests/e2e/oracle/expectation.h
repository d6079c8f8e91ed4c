#ifndef AAREN_TESTS_E2E_ORACLE_EXPECTATION_H_
#define AAREN_TESTS_E2E_ORACLE_EXPECTATION_H_

// An Expectation knows the answer to each token. It steps the engine itself, apart from any server, with a row for each
// session. For a forecast it gives a digest: nobody has to keep forecasts until they come.
//
// The tokens of session i are a soak::Series of the run's seed: every token is known without the earlier tokens.
// Threading: single-threaded, but for Value and DigestOf.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "model/package/package.h"
#include "tests/e2e/soak/judge/series.h"

namespace aaren::oracle {

// The digest of a forecast's bits, float32 [horizon, quantiles].
uint64_t DigestOf(absl::Span<const float> forecast);

class Expectation {
 public:
  static absl::StatusOr<std::unique_ptr<Expectation>> Load(const std::string& package_folder, uint64_t seed,
                                                           size_t sessions);

  float Value(size_t session, uint64_t seq) const { return series_[session].Value(seq, 0); }

  // The next token of a session.
  struct Token {
    size_t session = 0;
    uint64_t digest = 0;  // out: the forecast's
  };

  // Folds a token of each session. REQUIRES: sessions are distinct.
  void Step(absl::Span<Token> tokens);

  // The number of folded tokens of the session.
  uint64_t folded(size_t session) const { return folded_[session]; }

  // float32 [horizon, quantiles], computed anew from the session's first token.
  std::vector<float> Forecast(size_t session, uint64_t seq) const;

  const package::ForecasterConfig& config() const { return package_.config; }

 private:
  Expectation() = default;
  size_t forecast_floats() const { return static_cast<size_t>(config().horizon) * config().quantiles.size(); }
  absl::Span<const float> ToForecast(float* result) const;

  package::ModelPackage package_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::Lane> lane_;
  std::vector<engine::Slot> slots_;
  std::vector<uint64_t> folded_;
  std::vector<soak::Series> series_;
  std::vector<float> forecasts_;  // for a Step
};

}  // namespace aaren::oracle

#endif  // AAREN_TESTS_E2E_ORACLE_EXPECTATION_H_
