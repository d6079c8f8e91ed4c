// aaren-train: trains a streaming forecaster on synthetic series or CSV files and writes a model package.
// aaren-train fit: makes a model of the user's own data and compares it with the bundled model.
// aaren-train synth: writes series of the generator.
// aaren-train events: trains a forecaster of events. aaren-train evaluate-events: scores one beside simple rules.
// aaren-train classify: trains a classifier of series.
// aaren-train paper: the paper's comparisons of Aaren with the Transformer.
// Exit status: 0 done, 1 failed, 2 wrong flags or data, 130 interrupted.

#include <malloc.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "model/attention/scan/cuda/plugin_library.h"
#include "model/attention/scan/cuda/torch_cuda.h"
#include "model/nn/forecaster/export.h"
#include "model/nn/forecaster/import.h"
#include "model/package/package.h"
#include "model/training/fit/fit.h"
#include "model/training/processes.h"
#include "model/training/program/command_line.h"
#include "model/training/program/commands/classify.h"
#include "model/training/program/commands/evaluate_events.h"
#include "model/training/program/commands/paper.h"
#include "model/training/program/commands/synth.h"
#include "model/training/program/commands/train_events.h"
#include "model/training/program/cpu.h"
#include "model/training/program/progress.h"
#include "model/training/program/wait_policy.h"
#include "model/training/report/run_record.h"
#include "model/training/report/run_report.h"
#include "model/training/source.h"
#include "model/training/trainer.h"

namespace aaren::training {
namespace {

volatile std::sig_atomic_t interrupted = 0;

absl::StatusOr<std::unique_ptr<SeriesSource>> OpenSource(const CommandLine& line) {
  const uint64_t seed = line.data_seed;
  if (line.csv_files.empty()) return SyntheticSource(seed);
  const int horizon = line.options.config.horizon;
  std::vector<forecasting::CsvSeries> all;
  size_t longest = 0;
  for (const std::string& file : line.csv_files) {
    absl::StatusOr<std::vector<forecasting::CsvSeries>> series = forecasting::ReadCsvSeries(file, line.columns);
    if (!series.ok()) return series.status();
    for (forecasting::CsvSeries& one : *series) {
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

// A file's name without folder and ending.
std::string Stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

absl::Status ReadValidation(CommandLine& line) {
  for (const auto& [file, season] : line.validation_csv) {
    absl::StatusOr<std::vector<forecasting::CsvSeries>> series = forecasting::ReadCsvSeries(file, {});
    if (!series.ok()) return series.status();
    std::vector<ValidationFile>& files = line.options.validation;
    const bool taken = std::any_of(files.begin(), files.end(), [&](const auto& one) { return one.name == Stem(file); });
    files.push_back({.name = taken ? file : Stem(file), .season = season, .series = *std::move(series)});
  }
  return absl::OkStatus();
}

// Reads the initial weights, and reports the tensors that do not fit. A misfit is no error, because a run may have
// another shape.
absl::Status ReadInit(CommandLine& line) {
  if (line.init.empty()) return absl::OkStatus();
  absl::StatusOr<package::ModelPackage> package = package::LoadPackage(line.init);
  if (!package.ok()) return package.status();
  nn::Forecaster trial(line.options.config);
  const absl::StatusOr<std::vector<std::string>> left = nn::TakeWeights(*package, trial);
  if (!left.ok()) return left.status();
  if (!left->empty()) {
    absl::FPrintF(stderr, "aaren-train: --init: %d of %d tensors do not fit: %s\n", left->size(),
                  package->tensors.size(), absl::StrJoin(*left, ", "));
  }
  line.options.init = *std::move(package);
  return absl::OkStatus();
}

RunRecord RecordOf(const CommandLine& line) {
  RunRecord record = RecordHere(line.threads);
  if (line.cuda) record.machine += ", and a GPU";
  record.name = line.name;
  record.command = line.text;
  record.data = line.csv_files.empty() ? "synthetic" : "csv";
  record.seed = line.options.seed;
  record.data_seed = line.data_seed;
  record.flags = line.flags;
  record.optimizer = line.options.optimizer;
  return record;
}

absl::Status Write(const CommandLine& line, const RunRecord& record, const TrainResult& result) {
  package::ModelPackage package = nn::ToPackage(result.forecaster);
  nn::RoundMatrices(package);
  package.name = line.name;
  package.description = line.description;
  package.training = TrainingSummary(record, result);
  return package::SavePackage(line.output, package);
}

// Keeps the report up to date. A report that cannot be written is announced, but ends no run.
class Reporter {
 public:
  Reporter(const CommandLine& line, RunRecord record)
      : path_(ReportPath(line.options.checkpoint, line.output)), record_(std::move(record)) {}

  void Write(const TrainProgress& progress) {
    const absl::Status status = WriteRunReport(path_, record_, progress);
    if (!status.ok() && !failed_) absl::FPrintF(stderr, "aaren-train: no report: %s\n", status.message());
    failed_ = !status.ok();
  }

  const std::string& path() const { return path_; }
  const RunRecord& record() const { return record_; }
  bool failed() const { return failed_; }

 private:
  const std::string path_;
  const RunRecord record_;
  bool failed_ = false;
};

TrainProgress AtTheEnd(const CommandLine& line, const TrainResult& result) {
  return {.step = result.steps,
          .steps = line.options.steps,
          .seconds = result.seconds,
          .parameters = result.parameters,
          .history = &result.history};
}

// A user's mistake exits with 2, a failure of the program or machine with 1.
int ExitCode(const absl::Status& status) {
  if (status.ok()) return 0;
  if (absl::IsCancelled(status)) return 130;
  return absl::IsInternal(status) || absl::IsUnavailable(status) ? 1 : 2;
}

// Chooses the device. Only a CPU promises the same bits, because sums on a GPU come in any order. A GPU's products use
// TF32 with ten bits of mantissa.
absl::Status UseDevice(CommandLine& line) {
  if (line.cuda) {
    absl::Status status = attention::LoadTorchCuda();
    if (status.ok()) status = attention::UsableScanPlugin().status();
    if (!status.ok()) return absl::FailedPreconditionError(absl::StrCat("--device=cuda: ", status.message()));
    line.options.device = torch::kCUDA;
    at::globalContext().setFloat32MatmulPrecision("high");
    torch::set_num_threads(line.threads);
  } else {
    UseCpu(line.threads, line.bfloat16_products);
  }
  return absl::OkStatus();
}

absl::Status Run(CommandLine line) {
  absl::Status status = UseDevice(line);  // before any other use of torch
  if (!status.ok()) return status;
  const absl::StatusOr<std::unique_ptr<Processes>> processes = Processes::FromEnvironment();
  if (!processes.ok()) return processes.status();
  line.options.processes = processes->get();
  const bool first = (*processes)->rank() == 0;  // the process that tells and writes
  absl::StatusOr<std::unique_ptr<SeriesSource>> source = OpenSource(line);
  if (!source.ok()) return source.status();
  status = ReadValidation(line);
  if (status.ok()) status = ReadInit(line);
  if (status.ok() && first) status = package::CheckFolder(line.output);
  if (!status.ok()) return status;
  Reporter reporter(line, RecordOf(line));
  absl::StatusOr<TrainResult> result;
  {
    Progress progress(isatty(STDERR_FILENO) == 1);
    result = Train(line.options, **source, [&](const TrainProgress& now) {
      if (first) progress.Show(now);
      if (first && now.checked) reporter.Write(now);
      return interrupted == 0;
    });
  }
  if (!result.ok()) return result.status();
  if (!first) return absl::OkStatus();
  status = Write(line, reporter.record(), *result);
  if (!status.ok()) return status;
  reporter.Write(AtTheEnd(line, *result));
  absl::PrintF("%s%d steps in %.0f s, held-out loss %.4f: wrote %s%s\n", result->stopped_early ? "stopped early: " : "",
               result->steps, result->seconds, result->held_out_loss, line.output,
               reporter.failed() ? "" : absl::StrCat(" and ", reporter.path()));
  return absl::OkStatus();
}

// Keeps freed memory in the process. Each step needs the same tensors as the step before, and the kernel would have to
// clear every page that was returned to it.
void KeepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2147483647);
}

int Report(const absl::Status& status) {
  if (!status.ok()) absl::FPrintF(stderr, "aaren-train: %s\n", status.message());
  return ExitCode(status);
}

void StopWhenInterrupted() {
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
}

// Runs a subcommand, or prints its help.
template <class Line, class Work>
int Subcommand(const absl::StatusOr<Line>& line, const Work& work) {
  if (!line.ok() || line->help.empty()) return Report(line.ok() ? work(*line) : line.status());
  absl::PrintF("%s", line->help);
  return 0;
}

int EventsMain(int argc, char** argv) {
  KeepFreedMemory();
  WaitPassively(argv);
  StopWhenInterrupted();
  return Subcommand(ParseTrainEvents(argc - 1, argv + 1), [](const TrainEventsLine& line) {
    return TrainEventsProgram(line, [] { return interrupted == 0; });
  });
}

int FitMain(int argc, char** argv) {
  KeepFreedMemory();
  WaitPassively(argv);
  StopWhenInterrupted();
  return Subcommand(ParseFit(argc - 1, argv + 1), [](const FitLine& line) {
    const auto goes_on = [] { return interrupted == 0; };
    return line.csv.empty() ? FitEvents(line, goes_on) : FitSeries(line, goes_on);
  });
}

int ClassifyMain(int argc, char** argv) {
  KeepFreedMemory();
  WaitPassively(argv);
  StopWhenInterrupted();
  return Subcommand(ParseClassify(argc - 1, argv + 1),
                    [](const ClassifyLine& line) { return ClassifyProgram(line, [] { return interrupted == 0; }); });
}

int PaperMain(int argc, char** argv) {
  KeepFreedMemory();
  WaitPassively(argv);
  StopWhenInterrupted();
  return Subcommand(ParsePaper(argc - 1, argv + 1),
                    [](const PaperLine& line) { return PaperProgram(line, [] { return interrupted == 0; }); });
}

int TrainMain(int argc, char** argv) {
  KeepFreedMemory();
  const absl::StatusOr<CommandLine> line = ParseCommandLine(argc, argv);
  if (line.ok() && line->help.empty()) WaitPassively(argv);
  StopWhenInterrupted();
  return Subcommand(line, Run);
}

int Main(int argc, char** argv) {
  const absl::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "synth") return Subcommand(ParseSynth(argc - 1, argv + 1), Synth);
  if (verb == "evaluate-events") return Subcommand(ParseEvaluateEvents(argc - 1, argv + 1), EvaluateEventsProgram);
  if (verb == "fit") return FitMain(argc, argv);
  if (verb == "classify") return ClassifyMain(argc, argv);
  if (verb == "paper") return PaperMain(argc, argv);
  return verb == "events" ? EventsMain(argc, argv) : TrainMain(argc, argv);
}

}  // namespace
}  // namespace aaren::training

int main(int argc, char** argv) { return aaren::training::Main(argc, argv); }
