#ifndef AAREN_TESTS_BENCH_ENGINE_STEP_LOAD_H_
#define AAREN_TESTS_BENCH_ENGINE_STEP_LOAD_H_

// Sessions of a lane, with a past of 1,600 values and more, and calls to step the sessions.
//
// Forecasts go on and on, each session at a different phase: a call has a fair share of folded tokens and of probes.
// The cost of a silent token depends on its place in the series: each silent call begins with rows from before the
// token. Threading: single-threaded.

#include <cstdint>
#include <memory>
#include <vector>

#include "model/engine/engine.h"

namespace aaren::bench {

class StepLoad {
 public:
  enum class Silent {
    kSkipped,  // neither of the two
    kProbe,    // learns from an unread forecast
    kFold,     // enters the attention
  };

  // `engine` outlives the load; `fold_every` is the package's.
  StepLoad(const engine::Engine& engine, int fold_every, size_t sessions);

  size_t sessions() const { return slots_.size(); }

  // Steps a token of each of the first `batch` sessions, with forecasts. `calls` times.
  void Forecast(size_t batch, int calls);

  // Steps a token of each of `batch` sessions, with forecasts: the next sessions in a random order of all. Each session
  // comes once before any comes again. `calls` times.
  void ForecastAnywhere(size_t batch, int calls);

  // Restore sets rows from just before a token of the kind; Step steps a silent token of each session.
  void Restore(Silent kind, size_t batch);
  void Step(size_t batch);

  // Steps `tokens` silent tokens of a session in a single call.
  void Replay(size_t tokens);

 private:
  using RowBytes = std::vector<std::byte>;

  void Submit(const std::vector<engine::Run>& runs);
  template <typename NextSession>
  void ForecastOf(size_t batch, int calls, NextSession next);
  RowBytes Read(size_t session);
  void Write(const RowBytes& row, size_t sessions);
  RowBytes RowBefore(Silent kind);
  float Next() { return series_[next_++ % series_.size()]; }

  const engine::Engine& engine_;
  const uint64_t fold_every_;
  std::unique_ptr<engine::Lane> lane_;
  std::vector<engine::Slot> slots_;
  std::vector<uint32_t> order_;  // for ForecastAnywhere
  size_t turn_ = 0;              // the place in order_
  std::vector<float> series_;
  size_t next_ = 0;
  uint64_t seq_ = 0;  // tokens of the first session's preparation
  std::vector<float> values_, forecasts_;
  std::vector<uint8_t> silent_;
  std::vector<RowBytes> before_;  // by kind
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_STEP_LOAD_H_
