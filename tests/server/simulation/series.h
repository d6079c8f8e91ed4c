#ifndef AAREN_TESTS_SERVER_SIMULATION_SERIES_H_
#define AAREN_TESTS_SERVER_SIMULATION_SERIES_H_

// A Series has all tokens and all answers of a session of the simulation: value, time, forecast and step of
// every seq. Every sender sends tokens of the series: a forecast for a seq has a single right answer, to the
// bit.

#include <cstdint>
#include <string>
#include <vector>

#include "server/sessions/session/peer.h"

namespace aaren::simulation {

class Series {
 public:
  // Series of equal numbers are equal. `tokens`: their length.
  Series(uint32_t number, size_t tokens);

  size_t size() const { return values_.size(); }
  float value(uint64_t seq) const { return values_[seq]; }
  int64_t time_ns(uint64_t seq) const { return times_[seq]; }

  // The last positive difference between the times of two tokens, up to `seq`.
  int64_t step_ns(uint64_t seq) const { return steps_[seq]; }
  const std::vector<float>& forecast(uint64_t seq) const { return forecasts_[seq]; }

  // Tokens begin .. end - 1.
  std::vector<float> values(uint64_t begin, uint64_t end) const;
  std::vector<int64_t> times(uint64_t begin, uint64_t end) const;

 private:
  std::vector<float> values_;
  std::vector<int64_t> times_, steps_;
  std::vector<std::vector<float>> forecasts_;
};

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_SERIES_H_
