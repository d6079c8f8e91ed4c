// aaren-oracle --target=ADDRESS --package=FOLDER; --help lists the other flags.
//
// Streams a number of sessions at an even rate of tokens, and holds every forecast against the forecast of an
// undisturbed run: the same bits, none missing, none twice, in order. The oracle runs until SIGTERM, SIGINT or
// --seconds, then finishes all sessions. The last line is a JSON object of figures. The exit status is 1 at the first
// broken promise, printed on standard error, and 2 if nothing was judged.
//
// ADDRESS may be a list: ipv4:127.0.0.1:7860,127.0.0.1:7862. With a journal, an oracle killed and started again goes on
// from its position.

#include <signal.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/command_line/flags.h"
#include "tests/e2e/oracle/trial.h"

namespace aaren::oracle {
namespace {

std::atomic<bool> stop{false};

void AddSeconds(command_line::Flags& flags, const char* name, absl::Duration& duration, const char* help,
                const char* default_text) {
  const auto set = [&duration](const std::string& text) {
    double seconds = 0;
    if (!absl::SimpleAtod(text, &seconds) || !(seconds > 0)) {
      return absl::InvalidArgumentError("is not a number of seconds above 0");
    }
    duration = absl::Seconds(seconds);
    return absl::OkStatus();
  };
  flags.Add(name, set, help, default_text);
}

void AddRate(command_line::Flags& flags, double& rate) {
  const auto set = [&rate](const std::string& text) {
    const bool positive = absl::SimpleAtod(text, &rate) && rate > 0 && rate <= 1e9;
    return positive ? absl::OkStatus() : absl::InvalidArgumentError("is not a number above 0, at most 1e9");
  };
  flags.Add("rate", set, "tokens a second, of all sessions", absl::StrCat(rate));
}

command_line::Flags Table(TrialOptions& options) {
  command_line::Flags flags(
      "aaren-oracle --target=ADDRESS --package=FOLDER [flags]",
      "Streams many sessions at an even rate, and holds every forecast against the engine's own bits.");
  flags.Add("target", &options.target, "HOST:PORT, or a list: ipv4:HOST:PORT,HOST:PORT").Required();
  flags.Add("package", &options.package, "the folder of the model that the servers have").Required();
  flags.Add("sessions", &options.sessions, "sessions, spread over the streams").AtLeast(1);
  flags.Add("streams", &options.streams, "connections").Between(1, 256);
  AddRate(flags, options.rate);
  AddSeconds(flags, "seconds", options.duration, "how long; without it until SIGTERM or SIGINT", "");
  flags.Add("seed", &options.seed, "decides the values");
  flags.Add("journal", &options.journal, "the file from which one that was killed goes on");
  AddSeconds(flags, "patience", options.patience, "a forecast that takes longer is a broken promise", "60");
  flags.Add("progress", &options.progress, "a line a second on standard error");
  return flags;
}

double Millis(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

void PrintFigures(const Trial& trial) {
  const Figures figures = trial.account().figures();
  absl::PrintF(
      "{\"forecasts\": %d, \"seconds\": %.2f, \"per_second\": %.1f, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": "
      "%.3f, \"longest_gap_ms\": %.1f, \"gap_session\": \"%s\", \"reopened\": %d, \"replayed\": %d, \"broken\": %s}\n",
      figures.forecasts, trial.seconds(), static_cast<double>(figures.forecasts) / trial.seconds(),
      Millis(figures.latency.Quantile(0.5)), Millis(figures.latency.Quantile(0.99)), Millis(figures.latency.max()),
      Millis(figures.longest_gap), figures.gap_session, figures.reopened, figures.replayed,
      trial.account().broken() ? "true" : "false");
}

int Main(const std::vector<std::string>& words) {
  TrialOptions options;
  const absl::StatusOr<command_line::Parsed> parsed = Table(options).Parse(words);
  if (!parsed.ok()) {
    std::fprintf(stderr, "aaren-oracle: %s\n", std::string(parsed.status().message()).c_str());
    return 2;
  }
  if (!parsed->answer.empty()) return std::fputs(parsed->answer.c_str(), stdout), 0;
  Trial trial(options);
  if (const absl::Status status = trial.Run(stop); !status.ok()) {
    std::fprintf(stderr, "aaren-oracle: %s\n", status.ToString().c_str());
    return absl::IsDataLoss(status) ? 1 : 2;
  }
  PrintFigures(trial);
  const std::string broken = trial.BrokenPromise();
  if (!broken.empty()) std::fprintf(stderr, "%s\n", broken.c_str());
  return broken.empty() ? 0 : 1;
}

}  // namespace
}  // namespace aaren::oracle

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  struct sigaction end = {};
  end.sa_handler = [](int) { aaren::oracle::stop = true; };
  sigaction(SIGTERM, &end, nullptr);
  sigaction(SIGINT, &end, nullptr);
  return aaren::oracle::Main(std::vector<std::string>(argv + 1, argv + argc));
}
