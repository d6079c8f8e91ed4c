#include "model/training/program/commands/evaluate_events.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "model/command_line/flags.h"
#include "model/engine/events/event_engine.h"
#include "model/engine/events/event_package.h"
#include "model/tasks/events/evaluation.h"
#include "model/tasks/events/event_file.h"

namespace aaren::training {
namespace {

absl::Status EvaluateFile(const EvaluateEventsLine& line, const events::EventEngine& engine, const std::string& file) {
  const absl::StatusOr<std::vector<events::EventStream>> streams = events::ReadEventFile(file, line.unit);
  if (!streams.ok()) return streams.status();
  const bool whole = events::WholeUnits(*streams, line.unit);
  const absl::StatusOr<events::Evaluation> evaluation = EvaluateEvents(
      engine, *streams, {.rounding = whole ? line.unit : 0, .calendar = line.calendar, .rules = line.rules});
  if (!evaluation.ok()) {
    return absl::Status(evaluation.status().code(), absl::StrCat(file, ": ", evaluation.status().message()));
  }
  absl::PrintF("%s: %d streams%s, %s\n", file, streams->size(), whole ? " of times rounded to a unit" : "",
               EvaluationTable(*evaluation));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EvaluateEventsLine> ParseEvaluateEvents(int argc, char** argv) {
  EvaluateEventsLine line;
  std::string files;
  command_line::Flags flags("aaren-train evaluate-events --package=FOLDER --data=FILES [flags]",
                            "Scores a forecaster of events on files, beside simple rules: every stream of a file is a "
                            "session that\nbegins knowing nothing.");
  flags.Add("package", &line.package, "folder of the model package").Required();
  flags
      .Add("data", &files,
           "files, separated by commas: CSV with columns time, mark and series, or JSON lines with times and marks")
      .Required();
  flags.Add("unit", &line.unit, "seconds in one unit of the files' times");
  flags.Add("calendar", &line.calendar, "whether times count from 1970 UTC, so that hours and weekdays are known");
  flags.Add("rules", &line.rules, "whether to score the simple rules too");
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.ok()) return parsed.status();
  line.help = parsed->answer;
  line.files = absl::StrSplit(files, ',', absl::SkipEmpty());
  if (!(line.unit >= 1e-9 && line.unit <= 1e9)) {
    return absl::InvalidArgumentError(absl::StrCat("--unit=", line.unit, " is not between 1e-9 and 1e9 seconds"));
  }
  return line;
}

absl::Status EvaluateEventsProgram(const EvaluateEventsLine& line) {
  const absl::StatusOr<events::EventPackage> package = events::LoadEventPackage(line.package);
  if (!package.ok()) return package.status();
  const absl::StatusOr<std::unique_ptr<events::EventEngine>> engine = events::NewEventEngine(*package);
  if (!engine.ok()) return engine.status();
  for (const std::string& file : line.files) {
    if (absl::Status status = EvaluateFile(line, **engine, file); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace aaren::training
