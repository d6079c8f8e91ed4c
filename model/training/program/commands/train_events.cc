#include "model/training/program/commands/train_events.h"

#include <unistd.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/command_line/flags.h"
#include "model/engine/events/event_package.h"
#include "model/package/package.h"
#include "model/training/program/cpu.h"
#include "model/training/program/event_progress.h"
#include "model/training/report/event_record.h"
#include "model/training/report/run_record.h"

namespace aaren::training {
namespace {

absl::Status WriteEventPackage(const TrainEventsLine& line, const EventTrainResult& result) {
  events::EventPackage package;
  package.name = line.name;
  package.description = line.description;
  package.tensors = result.tensors;
  RunRecord record = RecordHere(line.threads);
  record.command = line.command;
  record.data = "synthetic";
  record.seed = line.options.seed;
  package.training = EventTrainingSummary(record, result);
  if (line.options.from.has_value()) package.training["from"] = line.options.from->digest;
  return events::SaveEventPackage(line.output, package);
}

void AddFlags(command_line::Flags& flags, TrainEventsLine& line, std::string& products) {
  EventTrainOptions& options = line.options;
  flags.Add("output", &line.output, "folder for the model package (required)");
  flags.Add("name", &line.name, "name of the model: a-z, 0-9 and -");
  flags.Add("description", &line.description, "a sentence about the model");
  flags.Add("steps", &options.steps, "training steps").AtLeast(1);
  flags.Add("hold", &options.hold,
            "steps at the full rate, which then falls to 0; below 0: two fifths of all steps.\n"
            "A run whose rate does not yet fall resumes with another --hold and --steps");
  flags.Add("seed", &options.seed, "seed of weights and data; two runs with one seed on one machine are equal");
  flags.Add("from", &line.from, "folder of a package whose weights to begin with; empty: random weights");
  flags.Add("checkpoint", &options.checkpoint, "folder for checkpoints; the same command resumes from there");
  flags.Add("checkpoint_every", &options.checkpoint_every, "steps between checkpoints").AtLeast(1);
  flags.Add("threads", &line.threads, "CPU threads").Between(1, 1024);
  flags.Add("products", &products, "float32, or bfloat16 on CPUs with instructions for it")
      .OneOf({"float32", "bfloat16"});
  flags.Add("batch", &options.rows, "sequences a step").AtLeast(1);
  flags.Add("tokens", &options.tokens, "tokens of a sequence").AtLeast(1);
  flags.Add("lr", &options.optimizer.rate, "learning rate of AdamW");
  flags.Add("muon_lr", &options.optimizer.muon_rate, "learning rate of Muon");
  flags.Add("held_out", &options.held_out_rows, "sequences to score at every checkpoint").AtLeast(1);
}

absl::Status CheckEventRate(const char* flag, double value) {
  if (value > 0 && value <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value, " is not above 0 and at most 1"));
}

}  // namespace

absl::StatusOr<TrainEventsLine> ParseTrainEvents(int argc, char** argv) {
  TrainEventsLine line;
  std::string products = "float32";
  command_line::Flags flags("aaren-train events --output=FOLDER [flags]",
                            "Trains a forecaster of events on the generator's streams of events, and writes it as a "
                            "model package.");
  AddFlags(flags, line, products);
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.ok()) return parsed.status();
  line.help = parsed->answer;
  if (!line.help.empty()) return line;
  absl::Status status = CheckEventRate("lr", line.options.optimizer.rate);
  status.Update(CheckEventRate("muon_lr", line.options.optimizer.muon_rate));
  if (line.output.empty()) status.Update(absl::InvalidArgumentError("--output=FOLDER is required"));
  if (!status.ok()) return status;
  if (status = package::CheckName(line.name); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", status.message()));
  }
  line.bfloat16_products = products == "bfloat16";
  line.command = absl::StrCat("aaren-train ", absl::StrJoin(argv, argv + argc, " "));
  return line;
}

absl::Status TrainEventsProgram(TrainEventsLine line, const std::function<bool()>& goes_on) {
  UseCpu(line.threads, line.bfloat16_products);
  if (!line.from.empty()) {
    absl::StatusOr<events::EventPackage> package = events::LoadEventPackage(line.from);
    if (!package.ok()) return package.status();
    line.options.from = *std::move(package);
  }
  if (absl::Status status = package::CheckFolder(line.output); !status.ok()) return status;
  absl::StatusOr<EventTrainResult> result;
  {
    EventProgress progress(isatty(STDERR_FILENO) == 1);
    result = TrainEvents(line.options, [&](const EventTrainProgress& now) {
      progress.Show(now);
      return goes_on();
    });
  }
  if (!result.ok()) return result.status();
  if (absl::Status status = WriteEventPackage(line, *result); !status.ok()) return status;
  absl::PrintF("%d steps in %.0f s, held-out loss %.4f + %.4f: wrote %s\n", result->steps, result->seconds,
               result->held_out.time, result->held_out.mark, line.output);
  return absl::OkStatus();
}

}  // namespace aaren::training
