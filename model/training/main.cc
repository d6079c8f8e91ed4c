// aaren-train: trains a streaming forecaster on synthetic series or CSV files and writes a model package.
// Exit status: 0 done, 1 failed, 2 wrong flags or data, 130 interrupted.

#include <malloc.h>
#include <sys/utsname.h>
#include <torch/torch.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/nn/export.h"
#include "model/package/package.h"
#include "model/training/command_line.h"
#include "model/training/progress.h"
#include "model/training/source.h"
#include "model/training/trainer.h"

namespace aaren {
namespace {

volatile std::sig_atomic_t interrupted = 0;

absl::StatusOr<std::unique_ptr<SeriesSource>> OpenSource(const CommandLine& line) {
  const uint64_t seed = line.options.seed;
  if (line.csv_files.empty()) return SyntheticSource(seed);
  const int horizon = line.options.config.horizon;
  std::vector<CsvSeries> all;
  size_t longest = 0;
  for (const std::string& file : line.csv_files) {
    absl::StatusOr<std::vector<CsvSeries>> series = ReadCsvSeries(file, line.columns);
    if (!series.ok()) return series.status();
    for (CsvSeries& one : *series) {
      longest = std::max(longest, one.values.size());
      all.push_back(std::move(one));
    }
  }
  if (longest <= 2 * static_cast<size_t>(horizon)) {
    return absl::InvalidArgumentError(absl::StrCat("the longest series has ", longest, " values; horizon ", horizon,
                                                   " needs more than ", 2 * horizon));
  }
  return CsvSource(std::move(all), seed, horizon);
}

std::string Machine(int threads) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string text; std::getline(info, text);) {
    if (absl::StartsWith(text, "model name"))
      return absl::StrCat(text.substr(text.find(':') + 2), ", ", threads, " thread(s)");
  }
  utsname name;
  uname(&name);
  return absl::StrCat(name.machine, ", ", threads, " thread(s)");
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
  return text;
}

absl::Status Write(const CommandLine& line, const TrainResult& result) {
  ModelPackage package = ToPackage(result.forecaster);
  package.name = line.name;
  package.description = line.description;
  package.training = {{"command", line.text},
                      {"data", line.csv_files.empty() ? "synthetic" : "csv"},
                      {"date", Today()},
                      {"held_out_loss", absl::StrFormat("%.5f", result.held_out_loss)},
                      {"machine", Machine(line.threads)},
                      {"seconds", absl::StrFormat("%.0f", result.seconds)},
                      {"seed", absl::StrCat(line.options.seed)},
                      {"steps", absl::StrCat(result.steps)}};
  return SavePackage(line.output, package);
}

// The user's mistakes are 2, ours and the machine's 1.
int ExitCode(const absl::Status& status) {
  if (status.ok()) return 0;
  if (absl::IsCancelled(status)) return 130;
  return absl::IsInternal(status) || absl::IsUnavailable(status) ? 1 : 2;
}

absl::Status Run(const CommandLine& line) {
  absl::StatusOr<std::unique_ptr<SeriesSource>> source = OpenSource(line);
  if (!source.ok()) return source.status();
  torch::set_num_threads(line.threads);
  at::globalContext().setDeterministicAlgorithms(true, false);
  absl::StatusOr<TrainResult> result;
  {
    Progress progress(isatty(STDERR_FILENO) == 1);
    result = Train(line.options, **source, [&](const TrainProgress& now) {
      progress.Show(now);
      return interrupted == 0;
    });
  }
  if (!result.ok()) return result.status();
  const absl::Status status = Write(line, *result);
  if (!status.ok()) return status;
  absl::PrintF("%s%d steps in %.0f s, held-out loss %.4f: wrote %s\n", result->stopped_early ? "stopped early: " : "",
               result->steps, result->seconds, result->held_out_loss, line.output);
  return absl::OkStatus();
}

// A step asks for the same tensors as the one before; handed back to the kernel in between, every page of them would
// be cleared again.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2147483647);
}

int Main(int argc, char** argv) {
  KeepFreedMemory();
  const absl::StatusOr<CommandLine> line = ParseCommandLine(argc, argv);
  if (line.ok() && line->help) {
    absl::PrintF("%s", Help());
    return 0;
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  const absl::Status status = line.ok() ? Run(*line) : line.status();
  if (!status.ok()) absl::FPrintF(stderr, "aaren-train: %s\n", status.message());
  return ExitCode(status);
}

}  // namespace
}  // namespace aaren

int main(int argc, char** argv) { return aaren::Main(argc, argv); }
