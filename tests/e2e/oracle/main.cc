// aaren-oracle --target=ADDRESS --package=FOLDER [--sessions=1000] [--streams=4] [--rate=2000] [--seconds=N] [--seed=N]
//              [--journal=FILE] [--patience=SECONDS] [--progress]
//
// Streams so many sessions at so many tokens a second in all, and holds every forecast against the one that an
// undisturbed run would bring: the same bits, none missing, none twice, in order. It runs until SIGTERM, SIGINT or
// --seconds, then finishes all sessions. The last line is a JSON object of figures. The exit status is 1 at the first
// broken promise, which is told on standard error, and 2 if there was nothing to judge.
//
// ADDRESS may be a list: ipv4:127.0.0.1:7860,127.0.0.1:7862. With a journal, one that is killed and started again goes
// on where it was.

#include <signal.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tests/e2e/oracle/trial.h"

namespace aaren::oracle {
namespace {

std::atomic<bool> stop{false};

bool TakeSeconds(const std::string& text, absl::Duration& duration) {
  double seconds = 0;
  if (!absl::SimpleAtod(text, &seconds) || !(seconds > 0)) return false;
  duration = absl::Seconds(seconds);
  return true;
}

bool Take(const std::string& argument, TrialOptions& options) {
  if (argument == "--progress") return options.progress = true;
  const std::pair<std::string, std::string> flag = absl::StrSplit(argument, absl::MaxSplits('=', 1));
  const auto& [name, value] = flag;
  const std::map<std::string, std::string*> texts = {
      {"--target", &options.target}, {"--package", &options.package}, {"--journal", &options.journal}};
  if (const auto text = texts.find(name); text != texts.end()) return !(*text->second = value).empty();
  if (name == "--sessions") return absl::SimpleAtoi(value, &options.sessions) && options.sessions > 0;
  if (name == "--streams") return absl::SimpleAtoi(value, &options.streams);
  if (name == "--seed") return absl::SimpleAtoi(value, &options.seed);
  if (name == "--rate") return absl::SimpleAtod(value, &options.rate) && options.rate > 0;
  if (name == "--seconds") return TakeSeconds(value, options.duration);
  return name == "--patience" && TakeSeconds(value, options.patience);
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

int Main(int argc, char** argv) {
  TrialOptions options;
  for (int i = 1; i < argc; ++i) {
    if (Take(argv[i], options)) continue;
    std::fprintf(stderr, "aaren-oracle: cannot use '%s'; see the head of main.cc\n", argv[i]);
    return 2;
  }
  if (options.target.empty() || options.package.empty()) {
    std::fprintf(stderr, "aaren-oracle: --target and --package are needed\n");
    return 2;
  }
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
  return aaren::oracle::Main(argc, argv);
}
