#ifndef AAREN_TESTS_E2E_SOAK_JUDGE_SERIES_H_
#define AAREN_TESTS_E2E_SOAK_JUDGE_SERIES_H_

// A Series is all that an incarnation of a session may ever be sent. Whoever writes to it sends these tokens, so that a
// forecast for a seq has one right answer whatever happened to the session. A forked or imported session has its
// source's tokens up to the seq that was captured and its own from there.
//
// What a session is like (its Kind) follows from the end of its id: "owned-3.k2". Threading: immutable.

#include <cstdint>
#include <memory>
#include <string>

namespace aaren::soak {

struct Kind {
  enum class Times { kNone, kGiven, kRegular };
  uint32_t channels;
  Times times;
  uint32_t every;  // forecasts where seq is a multiple of it
  bool surprise;   // asked for always, where every > 1: then it decides what is computed
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

  // Whether the token is answered with a forecast, and whether the server computes one.
  bool Answered(uint64_t seq) const { return !Silent(seq) && seq % kind_.every == 0; }
  bool Computed(uint64_t seq) const;

  // The end of the tokens from seq on, at most `end`, that are as silent as seq is.
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
