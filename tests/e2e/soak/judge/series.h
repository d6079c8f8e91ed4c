#ifndef AAREN_TESTS_E2E_SOAK_JUDGE_SERIES_H_
#define AAREN_TESTS_E2E_SOAK_JUDGE_SERIES_H_

// A Series is the full list of tokens for an incarnation of a session. Every writer sends only tokens of the series: a
// forecast for a seq has a single right answer, whatever happened to the session. A forked or imported session has its
// source's tokens up to the captured seq, and its own from there.
//
// A session's Kind follows from the end of its id: "owned-3.k2". Threading: immutable.

#include <cstdint>
#include <memory>
#include <string>

namespace aaren::soak {

struct Kind {
  enum class Times { kNone, kGiven, kRegular };
  uint32_t channels;
  Times times;
  uint32_t every;  // forecasts at the multiples of `every`
  bool surprise;   // always on for every > 1: then it decides whether to compute
};

inline constexpr int kKinds = 6;
Kind KindOf(const std::string& id);

inline constexpr int64_t kStartNs = 1'700'000'000'000'000'000;
inline constexpr int64_t kStepNs = 60'000'000'000;

class Series {
 public:
  // REQUIRES: a parent, of the same kind, where branch > 0.
  Series(Kind kind, uint64_t number, std::shared_ptr<const Series> parent, uint64_t branch)
      : kind_(kind), number_(number), parent_(std::move(parent)), branch_(branch) {}

  const Kind& kind() const { return kind_; }
  uint64_t branch() const { return branch_; }

  float Value(uint64_t seq, uint32_t channel) const;  // NaN: missing
  int64_t Time(uint64_t seq) const;
  int64_t Step(uint64_t seq) const;  // the last positive difference between times up to seq; 0: none
  bool Silent(uint64_t seq) const;

  // True if the token is answered with a forecast, and if the server computes a forecast.
  bool Answered(uint64_t seq) const { return !Silent(seq) && seq % kind_.every == 0; }
  bool Computed(uint64_t seq) const;

  // The end of the tokens from seq on, at most `end`, with the silence of seq.
  uint64_t SameUntil(uint64_t seq, uint64_t end) const;

 private:
  const Series& At(uint64_t seq) const { return seq < branch_ ? parent_->At(seq) : *this; }

  const Kind kind_;
  const uint64_t number_;
  const std::shared_ptr<const Series> parent_;
  const uint64_t branch_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_JUDGE_SERIES_H_
