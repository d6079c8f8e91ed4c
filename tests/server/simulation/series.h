#ifndef AAREN_TESTS_SERVER_SIMULATION_SERIES_H_
#define AAREN_TESTS_SERVER_SIMULATION_SERIES_H_

// A Series has all tokens and all answers of a session of the simulation: value or mark, time, forecast and step of
// every seq. Every sender sends tokens of the series: a forecast for a seq has a single right answer, to the bit.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "model/package/package.h"
#include "server/sessions/session/peer.h"

namespace aaren::simulation {

class Series {
 public:
  enum class Kind { kValues, kEvents };

  // Series of equal numbers are equal. `tokens`: their length.
  Series(uint32_t number, size_t tokens, Kind kind = Kind::kValues);

  size_t size() const { return times_.size(); }
  bool has_events() const { return kind_ == Kind::kEvents; }
  const char* model() const { return has_events() ? "events" : ""; }  // to open the session with

  // A value of a series of values, a mark of a series of events.
  float value(uint64_t seq) const { return values_[seq]; }
  uint32_t mark(uint64_t seq) const { return marks_[seq]; }
  int64_t time_ns(uint64_t seq) const { return times_[seq]; }

  // The last positive difference between the times of two tokens, up to `seq`.
  int64_t step_ns(uint64_t seq) const { return steps_[seq]; }

  // The numbers of a forecast, and whether `numbers` are the forecast after token `seq`, bit for bit.
  size_t width() const { return forecasts_[0].size(); }
  bool IsForecast(uint64_t seq, absl::Span<const float> numbers) const;

  // Tokens begin .. end - 1.
  absl::Span<const float> values(uint64_t begin, uint64_t end) const;
  absl::Span<const uint32_t> marks(uint64_t begin, uint64_t end) const;
  absl::Span<const int64_t> times(uint64_t begin, uint64_t end) const;

 private:
  void MakeValues(uint32_t number, size_t tokens);
  void MakeEvents(uint32_t number, size_t tokens);

  const Kind kind_;
  std::vector<float> values_;
  std::vector<uint32_t> marks_;
  std::vector<int64_t> times_, steps_;
  std::vector<std::vector<float>> forecasts_;
};

// The package of the series of events.
const package::ModelPackage& EventModel();

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_SERIES_H_
