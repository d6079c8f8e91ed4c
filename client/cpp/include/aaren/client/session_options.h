#ifndef AAREN_CLIENT_SESSION_OPTIONS_H_
#define AAREN_CLIENT_SESSION_OPTIONS_H_

// What a session is opened with. Everything but the id has a default. Threading: plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace aaren::client {

enum class OpenMode {
  kCreateOrResume,
  kCreate,  // ALREADY_EXISTS if there is one
  kResume,  // NOT_FOUND if there is none
};

// How much of a session outlives its server.
enum class Durability {
  kServerDefault,
  kNone,        // nothing is saved: it ends with its server, and begins at what was saved before, or anew
  kInterval,    // saved every so often: the tokens since the last save are sent again
  kEveryToken,  // a reply waits for a save: no token is sent again whose reply came. Refused where saves do not last
};

// Who says that a forecast has reached the application for good.
enum class Delivery {
  kAutomatic,  // it has when OnForecast returns
  kManual,     // the application says so (Session::Delivered), once it has written it to disk
};

// How far forecasts are refined by what the session has learned. The session learns either way.
enum class Refinement {
  kFull,          // mixed with naive forecasts of the series, calibrated, and restricted to what the series can be
  kUnrestricted,  // mixed and calibrated
  kUncalibrated,  // mixed
  kNone,          // as the model makes them
};

// What a forecast carries.
struct OutputOptions {
  std::vector<uint32_t> horizons = {};  // steps ahead, each in 1 .. the model's horizon, ascending; empty: all
  std::vector<float> quantiles = {};    // levels, a subset of the model's, ascending; empty: all
  uint32_t every = 1;                   // a forecast where seq is a multiple of it
  bool surprise = false;                // where each value fell in what was forecast for it
  Refinement refinement = Refinement::kFull;
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
  uint32_t channels = 0;  // series advanced together by each token; 0: one, or what the session has
  // Replies below it have reached the application for good, in an earlier life of it. Absent: go on where the server
  // is, the replies in between being lost (at most once); from then on it is exactly once.
  std::optional<uint64_t> delivered_seq = {};
  std::optional<uint64_t> incarnation = {};  // the session must be this one
  OutputOptions output = {};
  std::optional<RegularTimes> regular_times = {};  // then batches carry no times
  uint64_t window = 1024;                          // Send waits while so many tokens are unanswered
  // Tokens kept, at most, for a server that falls back behind what was delivered. Older ones need OnRewind.
  uint64_t retain = 1 << 20;
  Delivery delivery = Delivery::kAutomatic;
  Durability durability = Durability::kServerDefault;
  // A server that has no room for the session and says when to ask again is asked then, for so long in all. After that
  // the session ends with its words. Once open, the session is never given up for want of room.
  absl::Duration open_timeout = absl::Seconds(20);
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_SESSION_OPTIONS_H_
