#ifndef AAREN_CLIENT_REGULAR_SERIES_H_
#define AAREN_CLIENT_REGULAR_SERIES_H_

// A RegularSeries makes tokens of rows that have times. A session counts tokens and knows no time between them. So the
// rows have to lie on a grid: a step without a row becomes a row of missing values, rows of one step are joined, and a
// late row is put in its place. The grid's row is the token's seq. Nothing here speaks to a server: rows come in, and
// rows for Session::Send come out.
//
//   RegularSeries series(/*channels=*/1, {.step = *TimeStep::Parse("1h")});
//   if (opened.last_time_ns) series.GoOnBehind(*opened.last_time_ns);      // rows of before are left out
//   series.Add(time_ns, {21.5});
//   for (RegularRow row; series.Next(row);) session.Send(seq++, …);
//   series.End();                                                          // the last rows are whole, too
//
// The same rows give the same grid. A series that goes on behind a time of the grid gives the same rows as an
// uninterrupted series, so a session is resumed exactly. Two things are lost: a late row from before the time, and the
// second of two equal hours at the end of summer time, if the time lies in the hour. A source that can be read again
// from its beginning loses neither, because the caller can count its rows.
//
// - Jitter. A row counts for the nearest step. The grid follows a clock that runs a little fast or slow.
// - Wrong clocks. A row more than `longest_gap` steps ahead is taken only if the next row agrees, and fills no gap.
// - Summer time, with `local_times`. In the night when clocks are set back, an hour that comes twice is two hours. In
//   the night when clocks are set forward, an hour that is left out is no gap. A night has one change at most.
//
// Threading: a plain value.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/time_step.h"
#include "absl/types/span.h"

namespace aaren::client {

// How several rows of a step become a single row, value by value; missing values do not count.
enum class Aggregate { kFirst, kLast, kMean, kSum, kMax };

struct RegularOptions {
  TimeStep step = {};  // kNone: every row is a row of the grid, as long as times do not go back
  Aggregate aggregate = Aggregate::kLast;
  // The last so many values of a row are covariates: joined as the others are, but by the mean where others are summed.
  // A step without a row has missing covariates, too.
  size_t covariates = 0;
  // A row belongs to the step in which it lies, not to the nearest step: for series with several rows a step.
  bool within_step = false;
  // The first row of a step passes at once, and later rows of the step come too late. Otherwise a step waits for its
  // end.
  bool at_once = false;
  uint64_t late_steps = 0;         // a step waits for this many later steps, in case a row is late
  uint64_t longest_gap = 100'000;  // steps without a row; a longer gap is not filled
  bool local_times = false;
};

struct RegularRow {
  int64_t time_ns = 0;              // a time of the grid; never goes back
  std::vector<double> values = {};  // NaN: missing
  std::string label = {};           // the row's; empty for a filled step and for different labels
  bool filled = false;              // the step had no row
};

// The place of a row in the grid.
enum class Placed {
  kTaken,     // the first row of a step
  kJoined,    // a further row of a step
  kRepeated,  // left out: the step has just passed
  kLate,      // left out: the step has passed long ago
  kHeld,      // far ahead: waits for the next row
};

struct RegularCounts {
  uint64_t rows = 0;  // rows of the grid, filled rows too
  uint64_t filled = 0;
  uint64_t joined = 0;
  uint64_t repeated = 0;
  uint64_t late = 0;
  uint64_t long_gaps = 0;      // not filled
  uint64_t odd = 0;            // rows far ahead that the next row did not confirm: left out
  uint64_t clock_changes = 0;  // beginnings and ends of summer time
};

class RegularSeries {
 public:
  // `channels`: the values of a row, covariates and all.
  RegularSeries(size_t channels, const RegularOptions& options) : channels_(channels), options_(options) {}

  // The session's last token has this time. REQUIRES: nothing was added.
  void GoOnBehind(int64_t time_ns);

  // REQUIRES: values.size() == channels.
  Placed Add(int64_t time_ns, absl::Span<const double> values, std::string label = {});

  // The next row of the grid that no later row can change; false if no row is ready.
  bool Next(RegularRow& row);

  // True if Next has a row.
  bool ready() const { return !ready_.empty(); }

  // No more rows come: all waiting steps pass.
  void End();

  const RegularCounts& counts() const { return counts_; }

 private:
  // A step that has not passed.
  struct Slot {
    bool taken = false;
    int64_t clock_ns = 0;             // the grid's distance from the clock of the step
    int64_t time_ns = 0, off_ns = 0;  // the first row's time, and its distance from a grid that followed no row
    std::vector<double> values = {};
    std::vector<uint32_t> counts = {};  // how many values were joined
    std::string label = {};
  };
  struct Row {
    int64_t time_ns;
    std::vector<double> values;
    std::string label;
  };

  Placed AddUncounted(int64_t time_ns, absl::Span<const double> values, std::string label);
  Placed AddFar(int64_t time_ns, absl::Span<const double> values, std::string label);
  Placed Put(int64_t steps, int64_t time_ns, absl::Span<const double> values, std::string label);
  void Join(Slot& slot, absl::Span<const double> values);
  void Anchor(int64_t time_ns);
  void FollowSummerTime(int64_t time_ns);
  int64_t GridFor(int64_t time_ns) const;
  void Pass();
  void PassTo(size_t waiting);

  const size_t channels_;
  const RegularOptions options_;
  std::optional<int64_t> grid_ns_;   // the step that passed last, by the clock of the first row
  int64_t followed_ns_ = 0;          // how far the grid has followed the rows
  int64_t changed_ns_ = 0;           // the time of the first row behind the last change of clocks
  int64_t clock_ns_ = 0;             // how far the clock has been set back since the first row
  int64_t clock_before_ns_ = 0;      // … before the last change
  std::optional<int64_t> seen_ns_;   // the time of the last row
  std::optional<int64_t> given_ns_;  // the time of the last row that came out
  std::deque<Slot> slots_;           // the steps behind grid_ns_, in order; the last step is taken
  std::optional<Row> far_;
  std::deque<RegularRow> ready_;
  RegularCounts counts_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_REGULAR_SERIES_H_
