#ifndef AAREN_TESTS_BENCH_ENGINE_STEP_LOAD_H_
#define AAREN_TESTS_BENCH_ENGINE_STEP_LOAD_H_

// Sessions of one lane, with a past of 1,600 values and more, and calls that step them.
//
// Forecasts go on and on, each session at a phase of its own, so a call has its share of tokens that fold and of
// probes. What a silent token costs depends on its place in the series: each such call begins with rows as they were
// before that token. Threading: of one thread.

#include <cstdint>
#include <memory>
#include <vector>

#include "model/engine/engine.h"

namespace aaren::bench {

class StepLoad {
 public:
  enum class Silent {
    kSkipped,  // neither of the two
    kProbe,    // learns from its forecast, which nobody wants
    kFold,     // enters the attention
  };

  // `engine` outlives this; `fold_every` is its package's.
  StepLoad(const engine::Engine& engine, int fold_every, size_t sessions);

  size_t sessions() const { return slots_.size(); }

  // One token of each of the first `batch` sessions, their forecasts wanted; `calls` such calls.
  void Forecast(size_t batch, int calls);

  // One token of each of `batch` sessions, their forecasts wanted: those that come next in a random order of all. Each
  // comes once before any comes again. `calls` such calls.
  void ForecastAnywhere(size_t batch, int calls);

  // One silent token of each, after Restore of rows that are just before one of that kind.
  void Restore(Silent kind, size_t batch);
  void Step(size_t batch);

  // `tokens` silent ones of one session in one call.
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
  std::vector<uint32_t> order_;  // of ForecastAnywhere
  size_t turn_ = 0;              // in it
  std::vector<float> series_;
  size_t next_ = 0;
  uint64_t seq_ = 0;  // tokens that the first session took while it was prepared
  std::vector<float> values_, forecasts_;
  std::vector<uint8_t> silent_;
  std::vector<RowBytes> before_;  // by kind
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_STEP_LOAD_H_
