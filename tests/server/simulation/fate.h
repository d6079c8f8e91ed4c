#ifndef AAREN_TESTS_SERVER_SIMULATION_FATE_H_
#define AAREN_TESTS_SERVER_SIMULATION_FATE_H_

// Fate decides every chance of a run, from a seed, and tells the time. It also keeps the history: the events, in order,
// and the first forbidden event. Two runs of a seed are the same run. The history is written only if somebody will read
// it.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::simulation {

class Fate : public session::Clock {
 public:
  Fate(uint64_t seed, bool keeps_history) : state_(seed * 0x9e3779b97f4a7c15 + 1), keeps_history_(keeps_history) {}

  // 0 .. n - 1.
  uint64_t Draw(uint64_t n) { return Next() % n; }
  bool OneIn(uint64_t n) { return Draw(n) == 0; }

  int64_t NowNanos() const override { return now_ns_; }
  absl::Time Wall() const override { return absl::FromUnixNanos(now_ns_ + wall_step_ns_); }
  void Pass(absl::Duration time) { now_ns_ += absl::ToInt64Nanoseconds(time); }
  void StepWall(absl::Duration by) { wall_step_ns_ += absl::ToInt64Nanoseconds(by); }

  template <typename... Parts>
  void Tell(const Parts&... parts) {
    if (keeps_history_) history_.push_back(absl::StrCat(absl::Dec(moments_, absl::kZeroPad6), "  ", parts...));
  }

  // Notes a broken promise. The first counts.
  template <typename... Parts>
  void Accuse(const Parts&... parts) {
    Tell("BROKEN  ", parts...);
    if (broken_.empty()) broken_ = absl::StrCat(parts...);
  }

  void NextMoment() { ++moments_; }
  uint64_t moments() const { return moments_; }
  const std::string& broken() const { return broken_; }
  const std::vector<std::string>& history() const { return history_; }

 private:
  // splitmix64: the same numbers on every machine.
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
  const bool keeps_history_;
  int64_t now_ns_ = 1'700'000'000'000'000'000;
  int64_t wall_step_ns_ = 0;
  uint64_t moments_ = 0;
  std::string broken_;
  std::vector<std::string> history_;
};

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_FATE_H_
