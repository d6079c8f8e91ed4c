#ifndef AAREN_TESTS_SERVER_SIMULATION_SERIES_H_
#define AAREN_TESTS_SERVER_SIMULATION_SERIES_H_

// A Series has all tokens and all answers of a session of the simulation: value or mark, covariates, time, forecast and
// step of every seq. Every sender sends tokens of the series: a forecast for a seq has a single right answer, to the
// bit. Values have gaps of several tokens, and some series begin with a gap.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "model/package/package.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/task/conversion.h"
#include "tests/server/simulation/fate.h"

namespace aaren::simulation {

// The steps and levels that an Open asks for.
enum class Reach {
  kNear,  // the model's own
  kFar,   // beyond the model's: extended rows only
};

class Series {
 public:
  enum class Kind { kValues, kEvents, kNetwork };

  // Series of equal numbers have equal values and times, whatever the rows. `tokens`: their length. `rows`: of the
  // session; others than plain rows are for kNetwork only.
  Series(uint32_t number, size_t tokens, Kind kind = Kind::kValues, const task::RowForm& rows = {});

  size_t size() const { return times_.size(); }
  bool has_events() const { return kind_ == Kind::kEvents; }
  const char* model() const;  // to open the session with

  // The rows of the session, the name of their tier, and the steps ahead and levels to ask for; empty: the model's.
  const task::RowForm& rows() const { return rows_; }
  std::string tier() const;
  const engine::Selection& selection(Reach reach) const;

  // A reach that an Open may ask for, whether the session exists or is created.
  Reach DrawReach(Fate& fate) const;

  int64_t time_ns(uint64_t seq) const { return times_[seq]; }

  // The last positive difference between the times of two tokens, up to `seq`.
  int64_t step_ns(uint64_t seq) const { return steps_[seq]; }

  // The numbers of a forecast, and whether `numbers` are the forecast after token `seq`, bit for bit.
  size_t width(Reach reach) const { return forecasts(reach)[0].size(); }
  bool IsForecast(uint64_t seq, Reach reach, absl::Span<const float> numbers) const;

  // Tokens begin .. end - 1: the values of a series of values, the marks of a series of events.
  absl::Span<const float> values(uint64_t begin, uint64_t end) const;
  absl::Span<const uint32_t> marks(uint64_t begin, uint64_t end) const;
  absl::Span<const int64_t> times(uint64_t begin, uint64_t end) const;
  absl::Span<const float> covariates(uint64_t begin, uint64_t end) const;
  absl::Span<const float> future_values(uint64_t begin, uint64_t end, Reach reach) const;

 private:
  using Forecasts = std::vector<std::vector<float>>;

  void MakeValues(uint32_t number, size_t tokens);
  void MakeEvents(uint32_t number, size_t tokens);
  void MakeCovariates(uint32_t number, size_t tokens);
  void MakeNetworkForecasts(Reach reach);
  std::vector<float> InputsOf(Reach reach) const;
  bool extended() const { return rows_.extended; }

  // Tokens begin .. end - 1 of a column, [tokens, numbers of a token].
  template <typename T>
  absl::Span<const T> Part(const std::vector<T>& column, uint64_t begin, uint64_t end) const {
    const size_t each = column.size() / size();
    return absl::MakeConstSpan(column).subspan(begin * each, (end - begin) * each);
  }

  Forecasts& forecasts(Reach reach) { return reach == Reach::kFar ? far_ : near_; }
  const Forecasts& forecasts(Reach reach) const { return reach == Reach::kFar ? far_ : near_; }

  const Kind kind_;
  const task::RowForm rows_;
  std::vector<float> values_, covariates_;
  std::vector<float> near_future_, far_future_;  // [tokens, steps, future covariates]
  std::vector<uint32_t> marks_;
  std::vector<int64_t> times_, steps_;
  Forecasts near_, far_;
};

// The package of the series of events, and the package of the series of networks.
const package::ModelPackage& EventModel();
const package::ModelPackage& NetworkModel();

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_SERIES_H_
