#ifndef AAREN_CLIENT_LOAD_LOAD_H_
#define AAREN_CLIENT_LOAD_LOAD_H_

// RunLoad measures a server: it opens many sessions over a few streams, feeds every session a synthetic seasonal signal
// for a while, and reports throughput and latency.
//
// Closed loop (rate 0): every session keeps `window` messages unanswered: the server decides the pace. Open loop:
// tokens fall due at `rate` per second in total, however fast the server is. Latency counts from a token's due time: a
// stall shows in every delayed token. The harness usually shares a machine with the server. Hence it works on the wire
// format itself, a thread a stream, and costs a small part of the server's time. It is no exactly-once client: a broken
// stream is an error, counted, and its sessions stop.
//
// Threading: blocks; one thread per stream inside.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/channel.h"
#include "aaren/client/session_options.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace aaren::client {

struct LoadOptions {
  std::string target = {};          // "host:port"
  ChannelOptions channel = {};      // credentials, metadata …
  uint32_t sessions = 1000;         // spread evenly over the streams
  uint32_t streams = 4;             // at most `sessions`
  uint32_t points_per_message = 1;  // tokens in a Tokens item
  uint32_t window = 16;             // items unanswered per session
  double rate = 0;                  // tokens per second over all sessions; 0: closed loop
  absl::Duration duration = absl::Seconds(10);
  absl::Duration settle = absl::Seconds(60);  // how long to wait, at most, for a stream's sessions to open, or to close
  absl::Duration drain = absl::Seconds(30);   // how long to wait, at most, for the last replies
  uint32_t channels = 1;
  Durability durability = Durability::kServerDefault;
  std::string model = {};               // empty: the server's default
  std::vector<uint32_t> horizons = {};  // empty: all
  std::vector<float> quantiles = {};    // empty: all
  std::string prefix = "load-";         // session ids are prefix, a number of this run, a number of the session
  std::string metrics = {};  // "host:port" of the server's /metrics; empty: look the process up on this machine
};

struct LoadReport {
  struct Latency {  // microseconds from a token's send (open loop: due) time to its reply; 1 % wide at most
    double p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
  };
  struct Server {  // use by the server's process: CPU time during the run, memory at its end
    double cpu_seconds = 0;
    uint64_t rss_bytes = 0;
  };
  double seconds = 0;            // from the first token sent to the last reply
  double tokens_per_second = 0;  // received / seconds
  Latency latency_us = {};
  uint64_t sent = 0;                  // tokens, each once
  uint64_t resent = 0;                // tokens sent again, since the server had no room
  uint64_t received = 0;              // tokens answered
  uint64_t errors = 0;                // sessions refused or failed, streams broken, left out or not wholly answered
  std::string first_error = {};       // in words; empty: none
  std::optional<Server> server = {};  // absent where neither /metrics nor /proc tells
};

// INVALID_ARGUMENT, naming the option, for invalid options.
absl::Status CheckLoad(const LoadOptions& options);

// Opens, runs, deletes the sessions. `stop`, if given, ends the run early when it becomes true; the report then covers
// the run until then. INVALID_ARGUMENT from CheckLoad; UNAVAILABLE if no stream could be opened.
absl::StatusOr<LoadReport> RunLoad(const LoadOptions& options, const std::atomic<bool>* stop = nullptr);

// A JSON object on a single line, without the newline: tokens_per_second, latency_us {p50, p90, p99, p999, max}, sent,
// resent, received, errors, seconds, server {cpu_seconds, rss_bytes} or null; error if any.
std::string ToJson(const LoadReport& report);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LOAD_LOAD_H_
