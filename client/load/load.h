#ifndef AAREN_CLIENT_LOAD_LOAD_H_
#define AAREN_CLIENT_LOAD_LOAD_H_

// RunLoad measures a server: it opens many sessions over a few streams, streams a synthetic seasonal signal into them
// for a while, and reports throughput and latency.
//
// Closed loop (rate 0): every session keeps `window` messages unanswered, so the server decides the pace. Open loop:
// tokens fall due at `rate` per second in total, whatever the server does. Latency counts from the time a token was
// due, so a stall is seen by every token that it delayed. The harness shares a machine with the server as a rule. So it
// works on the wire format itself, a thread a stream, and costs a small part of what the server does. It is not an
// exactly-once client: a broken stream is an error, counted, and its sessions stop.
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
  uint32_t points_per_message = 1;  // tokens in one Tokens item
  uint32_t window = 16;             // items unanswered per session
  double rate = 0;                  // tokens per second over all sessions; 0: closed loop
  absl::Duration duration = absl::Seconds(10);
  absl::Duration drain = absl::Seconds(30);  // how long to wait, at most, for the last replies
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
  struct Server {  // what the server's process used: CPU time during the run, memory at its end
    double cpu_seconds = 0;
    uint64_t rss_bytes = 0;
  };
  double seconds = 0;            // from the first token sent to the last reply
  double tokens_per_second = 0;  // received / seconds
  Latency latency_us = {};
  uint64_t sent = 0;                  // tokens, each once
  uint64_t resent = 0;                // tokens sent again, for the server had no room for them
  uint64_t received = 0;              // tokens answered
  uint64_t errors = 0;                // sessions refused or failed, streams broken
  std::string first_error = {};       // in words; empty if there was none
  std::optional<Server> server = {};  // absent where neither /metrics nor /proc tells
};

// INVALID_ARGUMENT, naming the option, for options that cannot be.
absl::Status CheckLoad(const LoadOptions& options);

// Opens, runs, deletes its sessions. `stop`, if given, ends the run early when it becomes true; the report then covers
// what was done. INVALID_ARGUMENT as CheckLoad says; UNAVAILABLE if no stream could be opened.
absl::StatusOr<LoadReport> RunLoad(const LoadOptions& options, const std::atomic<bool>* stop = nullptr);

// One JSON object, on one line, without the newline: tokens_per_second, latency_us {p50, p90, p99, p999, max}, sent,
// resent, received, errors, seconds, server {cpu_seconds, rss_bytes} or null; error where there was one.
std::string ToJson(const LoadReport& report);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LOAD_LOAD_H_
