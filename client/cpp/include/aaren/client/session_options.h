#ifndef AAREN_CLIENT_SESSION_OPTIONS_H_
#define AAREN_CLIENT_SESSION_OPTIONS_H_

// The options for opening a session. Everything but the id has a default. Threading: plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace aaren::client {

enum class OpenMode {
  kCreateOrResume,
  kCreate,  // ALREADY_EXISTS if the session exists
  kResume,  // NOT_FOUND if the session does not exist
};

// The part of a session that outlives its server.
enum class Durability {
  kServerDefault,
  kNone,        // never saved: ends with its server, and begins at an earlier save, or anew
  kInterval,    // saved at intervals: the tokens since the last save are sent again
  kEveryToken,  // a reply waits for a save: no answered token is sent again. Refused where saves do not last
};

// The moment when a forecast has reached the application for good.
enum class Delivery {
  kAutomatic,  // when OnForecast returns
  kManual,     // the application's call of Session::Delivered, for example after a write to disk
};

// How far the session's learning refines forecasts. The session learns in any case.
enum class Refinement {
  kFull,          // mixed with naive forecasts, calibrated, and restricted to possible values of the series
  kUnrestricted,  // mixed and calibrated
  kUncalibrated,  // mixed
  kNone,          // the model's own
};

// The contents of a forecast of events, beside quantiles of the time to the next event (EventForecast).
struct EventOutput {
  std::vector<double> spans_s = {};  // seconds, ascending: the probability of an event within each
  uint32_t marks = 0;                // how many of the likeliest marks
  // Listener::OnOverdue once the next event is later than this quantile of its time, 0.5 .. 0.999; 0: never
  float overdue = 0;
};

// The scale of a session's events. Every Open of a session tells the same scale: the session may have to begin anew.
struct EventScale {
  int64_t unit_ns = 0;        // the usual time between two events, roughly: the first has a forecast; 0: unknown
  int64_t resolution_ns = 0;  // times are whole multiples, which surprises allow for; 0: unknown
};

// The contents of a forecast.
struct OutputOptions {
  // Steps ahead, ascending; empty: 1 .. the model's horizon. A session that is created with a step beyond the model's
  // horizon may ask for steps up to ModelInfo::far_horizon.
  std::vector<uint32_t> horizons = {};
  std::vector<float> quantiles = {};  // levels, each in 0.005 .. 0.995, ascending; empty: the model's
  uint32_t every = 1;                 // forecasts at the multiples of `every`
  bool surprise = false;              // the place of each value in its forecast
  Refinement refinement = Refinement::kFull;
  // Forecast.values are relative to Forecast.offsets, with all digits of a series at a high level. Forecast.At is in
  // the units of the series in any case.
  bool relative = false;
  EventOutput events = {};  // for models of events
};

// The numbers beside the series that each token brings. The session learns what the numbers do to the series.
struct Covariates {
  uint32_t past = 0;    // known with the token, such as a measured temperature
  uint32_t future = 0;  // known in advance, such as a holiday; past + future is 8 at most
};

// Token seq has time start_ns + seq * step_ns.
struct RegularTimes {
  int64_t start_ns = 0;  // nanoseconds since 1970-01-01 UTC
  int64_t step_ns = 0;   // > 0
};

struct SessionOptions {
  std::string id = {};     // 1-128 bytes of printable ASCII
  std::string model = {};  // "name", "name:version", "name@label" or empty: the server's default
  OpenMode mode = OpenMode::kCreateOrResume;
  uint32_t channels = 0;  // series advanced together by each token; 0: one, or the session's number
  // Replies below delivered_seq have reached the application for good, in an earlier life of the application. Absent:
  // go on from the server's position, and lose the replies in between (at most once); from then on exactly once.
  std::optional<uint64_t> delivered_seq = {};
  std::optional<uint64_t> incarnation = {};  // the required incarnation
  Covariates covariates = {};                // fixed at creation; 0 and 0: none, or the session's own
  // Forecasts the series less the average course of its season as well: better where a season of up to 336 tokens
  // repeats for weeks, for 2.4 times the time and 3.5 times the memory. Fixed at creation; false: without, or the
  // session's own.
  bool profile = false;
  OutputOptions output = {};
  std::optional<RegularTimes> regular_times = {};  // then batches carry no times
  EventScale event_scale = {};                     // the scale of a session of events
  uint64_t window = 1024;                          // Send waits while this many tokens are unanswered
  // The most tokens kept, for a server that falls back behind delivered tokens. Older tokens need OnRewind.
  uint64_t retain = 1 << 20;
  Delivery delivery = Delivery::kAutomatic;
  Durability durability = Durability::kServerDefault;
  // While the server lacks room for the session and says when to ask again, the client asks again, up to this time in
  // all. Then the session ends with the server's status. Once open, the session is never given up for lack of room.
  absl::Duration open_timeout = absl::Seconds(20);
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_SESSION_OPTIONS_H_
