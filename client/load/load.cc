#include "client/load/load.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "client/load/load_stream.h"
#include "client/load/server_usage.h"

namespace aaren::client {
namespace {

// From the moment all sessions are open to the first token: every stream is ready by then.
constexpr int64_t kLead = 2000000;

// The greatest options. Beyond, the figures would tell of this process and not of the server.
constexpr uint32_t kMaxStreams = 1024;
constexpr double kMaxRate = 1e9;       // tokens a second
constexpr double kMaxTimes = 1 << 28;  // unanswered messages, eight bytes each
constexpr double kMaxMessageValues = 1 << 22;
constexpr absl::Duration kMaxDuration = absl::Hours(24 * 365);

std::vector<std::unique_ptr<LoadStream>> MakeStreams(const LoadOptions& options) {
  // A killed run leaves its sessions behind, and CREATE refuses their ids: the time tells runs apart.
  const std::string run = absl::StrCat(options.prefix, absl::ToUnixMicros(absl::Now()), "-");
  std::vector<std::vector<std::string>> ids(options.streams);
  for (uint32_t i = 0; i < options.sessions; ++i) ids[i % options.streams].push_back(absl::StrCat(run, i));
  std::vector<std::unique_ptr<LoadStream>> streams;
  for (uint32_t i = 0; i < options.streams; ++i) {
    streams.push_back(std::make_unique<LoadStream>(options, i, std::move(ids[i])));
  }
  return streams;
}

// Shared by the streams' threads and RunLoad.
struct Run {
  explicit Run(uint32_t streams)
      : opened(static_cast<int>(streams)), answered(static_cast<int>(streams)), status(streams) {}

  absl::BlockingCounter opened;
  absl::BlockingCounter answered;
  absl::Notification begin;
  std::vector<absl::Status> status;  // Open's, by stream
  int64_t start = 0;                 // valid after `begin`, as is `end`
  int64_t end = 0;
};

void RunStream(LoadStream& stream, absl::Status& status, Run& run, const std::atomic<bool>* stop) {
  status = stream.Open();
  run.opened.DecrementCount();
  run.begin.WaitForNotification();
  if (status.ok()) stream.Stream(run.start, run.end, stop);
  // Before the deletions, which are not measured.
  run.answered.DecrementCount();
  stream.Delete();
}

double Micros(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

LoadReport MakeReport(const LoadCounts& counts, int64_t start) {
  LoadReport report;
  // Until the last reply: a drain in vain does not lower the throughput.
  report.seconds = static_cast<double>(std::max<int64_t>(0, counts.last_reply - start)) / 1e9;
  report.tokens_per_second = report.seconds > 0 ? static_cast<double>(counts.received) / report.seconds : 0;
  report.latency_us = {.p50 = Micros(counts.latency.Quantile(0.5)),
                       .p90 = Micros(counts.latency.Quantile(0.9)),
                       .p99 = Micros(counts.latency.Quantile(0.99)),
                       .p999 = Micros(counts.latency.Quantile(0.999)),
                       .max = Micros(counts.latency.max())};
  report.sent = counts.sent;
  report.resent = counts.resent;
  report.received = counts.received;
  report.errors = counts.errors;
  report.first_error = counts.first_error;
  return report;
}

}  // namespace

absl::Status CheckLoad(const LoadOptions& options) {
  const auto invalid = [](absl::string_view what, double got, absl::string_view expected) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is ", got, "; ", expected, " expected"));
  };
  if (options.target.empty()) return absl::InvalidArgumentError("target is empty; HOST:PORT expected");
  if (options.sessions == 0) return invalid("sessions", 0, "at least 1");
  // A stream without a session would measure nothing.
  if (options.streams == 0 || options.streams > options.sessions) {
    return invalid("streams", options.streams, absl::StrCat("1 .. ", options.sessions, ", the number of sessions,"));
  }
  if (options.points_per_message == 0) return invalid("points_per_message", 0, "at least 1");
  if (options.window == 0) return invalid("window", 0, "at least 1");
  if (options.channels == 0) return invalid("channels", 0, "at least 1");
  if (options.streams > kMaxStreams) return invalid("streams", options.streams, absl::StrCat(kMaxStreams, " at most"));
  const double times = static_cast<double>(options.sessions) * options.window;
  if (times > kMaxTimes) return invalid("sessions x window", times, absl::StrCat(kMaxTimes, " at most"));
  const double values = static_cast<double>(options.points_per_message) * options.channels;
  if (values > kMaxMessageValues) {
    return invalid("points_per_message x channels", values, absl::StrCat(kMaxMessageValues, " at most"));
  }
  if (!(options.rate >= 0 && options.rate <= kMaxRate)) {
    return invalid("rate", options.rate, absl::StrCat("0 .. ", kMaxRate));
  }
  if (options.duration <= absl::ZeroDuration() || options.duration > kMaxDuration) {
    return invalid("duration", absl::ToDoubleSeconds(options.duration), "more than 0 seconds, and a year at most,");
  }
  return CheckChannel(options.channel);
}

absl::StatusOr<LoadReport> RunLoad(const LoadOptions& options, const std::atomic<bool>* stop) {
  const absl::Status valid = CheckLoad(options);
  if (!valid.ok()) return valid;
  const auto streams = MakeStreams(options);
  Run run(options.streams);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < options.streams; ++i) {
    threads.emplace_back([&, i] { RunStream(*streams[i], run.status[i], run, stop); });
  }
  run.opened.Wait();
  // Read once the sessions are open, since Opens are not measured.
  const auto before = ReadServerUsage(options.target, options.metrics);
  run.start = NowNanos() + kLead;
  run.end = run.start + absl::ToInt64Nanoseconds(options.duration);
  run.begin.Notify();
  run.answered.Wait();
  const auto after = ReadServerUsage(options.target, options.metrics);
  for (std::thread& thread : threads) thread.join();

  LoadCounts counts;
  for (const auto& stream : streams) counts.Merge(stream->counts());
  const auto opened = [](const absl::Status& status) { return status.ok(); };
  if (std::none_of(run.status.begin(), run.status.end(), opened)) return run.status.front();
  LoadReport report = MakeReport(counts, run.start);
  if (before && after) {
    report.server = {.cpu_seconds = after->cpu_seconds - before->cpu_seconds, .rss_bytes = after->rss_bytes};
  }
  return report;
}

std::string ToJson(const LoadReport& report) {
  nlohmann::ordered_json json = {
      {"tokens_per_second", report.tokens_per_second},
      {"latency_us",
       {{"p50", report.latency_us.p50},
        {"p90", report.latency_us.p90},
        {"p99", report.latency_us.p99},
        {"p999", report.latency_us.p999},
        {"max", report.latency_us.max}}},
      {"sent", report.sent},
      {"resent", report.resent},
      {"received", report.received},
      {"errors", report.errors},
      {"seconds", report.seconds},
      {"server", nullptr},
  };
  if (report.server) {
    json["server"] = {{"cpu_seconds", report.server->cpu_seconds}, {"rss_bytes", report.server->rss_bytes}};
  }
  if (!report.first_error.empty()) json["error"] = report.first_error;
  // An error may quote bytes that are no UTF-8, at which nlohmann-json throws by default.
  return json.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

}  // namespace aaren::client
