#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/engine/events/event_engine.h"
#include "model/engine/events/event_package.h"
#include "model/package/bundled.h"
#include "model/tasks/events/evaluation.h"
#include "model/tasks/events/event_file.h"
#include "model/training/events/event_source.h"
#include "model/training/events/event_trainer.h"
#include "model/training/fit/fit.h"
#include "model/training/fit/fit_output.h"
#include "model/training/program/cpu.h"
#include "model/training/program/event_progress.h"
#include "model/training/report/event_record.h"

namespace aaren::training {
namespace {

constexpr size_t kFewestEvents = 10;

absl::StatusOr<std::vector<events::EventStream>> ReadFitEvents(const FitLine& line) {
  absl::StatusOr<std::vector<events::EventStream>> streams = events::ReadEventFile(line.events, line.unit);
  if (!streams.ok()) return streams.status();
  const size_t left = std::erase_if(*streams, [](const auto& one) { return one.times_ns.size() < kFewestEvents; });
  if (left > 0)
    absl::FPrintF(stderr, "aaren-train: left out: %d streams of fewer than %d events\n", left, kFewestEvents);
  if (!streams->empty()) return streams;
  return absl::InvalidArgumentError(
      absl::StrCat(line.events, ": every stream has fewer than ", kFewestEvents, " events"));
}

EventTrainOptions FitEventOptions(const FitLine& line, const EventSource& source,
                                  const events::EventPackage& reference) {
  EventTrainOptions options;
  options.seed = line.seed;
  options.steps = line.steps;
  options.rows = line.batch;
  options.optimizer.rate *= line.RateFactor();
  options.optimizer.muon_rate *= line.RateFactor();
  options.checkpoint = line.checkpoint;
  options.checkpoint_every = line.check_every;
  options.held_out_rows = 400;  // every held-out stream of RecordedEvents
  options.source = &source;
  options.patience = line.patience;
  options.keeps_best_when_stopped = true;
  if (!line.anew) options.from = reference;
  return options;
}

events::EventPackage FittedPackage(const FitLine& line, const EventTrainOptions& options,
                                   const EventTrainResult& result) {
  events::EventPackage package;
  package.name = line.name;
  package.description = line.description;
  package.tensors = result.tensors;
  RunRecord record = RecordHere(line.threads);
  record.command = line.command;
  record.data = "recorded";
  record.seed = line.seed;
  package.training = EventTrainingSummary(record, result);
  if (options.from.has_value()) package.training["from"] = options.from->digest;
  return package;
}

absl::StatusOr<events::Evaluation> EvaluatePackage(const events::EventPackage& package,
                                                   absl::Span<const events::EventStream> streams,
                                                   const events::EvaluationOptions& options) {
  const absl::StatusOr<std::unique_ptr<events::EventEngine>> engine = events::NewEventEngine(package);
  if (!engine.ok()) return engine.status();
  absl::StatusOr<events::Evaluation> evaluation = EvaluateEvents(**engine, streams, options);
  if (!evaluation.ok()) return evaluation.status();
  evaluation->times[0].name = package.name;
  evaluation->marks[0].name = package.name;
  return evaluation;
}

// Nats per event, of the interval and the mark together.
double Loss(const events::Evaluation& evaluation) { return evaluation.times[0].binned + evaluation.marks[0].nll; }

}  // namespace

absl::Status FitEvents(const FitLine& line, const std::function<bool()>& goes_on) {
  UseCpu(line.threads, false);
  const absl::StatusOr<std::string> from =
      line.from.empty() ? package::BundledPackage("aaren-events") : absl::StatusOr<std::string>(line.from);
  if (!from.ok()) return from.status();
  const absl::StatusOr<events::EventPackage> reference = events::LoadEventPackage(*from);
  if (!reference.ok()) return reference.status();
  const absl::StatusOr<std::vector<events::EventStream>> streams = ReadFitEvents(line);
  if (!streams.ok()) return streams.status();
  const double rounding = events::WholeUnits(*streams, line.unit) ? line.unit : 0;
  const std::unique_ptr<EventSource> source = RecordedEvents(
      *streams, {.name = line.events, .seed = line.seed, .rounding = rounding, .calendar = line.calendar});
  const EventTrainOptions options = FitEventOptions(line, *source, *reference);
  const FitOutput output(line);
  if (absl::Status status = output.Check(); !status.ok()) return status;
  events::EvaluationOptions judged = {.rounding = rounding, .calendar = line.calendar};
  for (const events::EventStream& stream : *streams) {
    judged.first_scored.push_back(SplitEvents(stream.times_ns.size()).known);
  }
  // Before the training, which would be lost if no event can be scored.
  absl::StatusOr<events::Evaluation> others = EvaluatePackage(*reference, *streams, judged);
  if (!others.ok()) return others.status();
  absl::StatusOr<EventTrainResult> result;
  {
    EventProgress progress(isatty(STDERR_FILENO) == 1);
    result = TrainEvents(options, [&](const EventTrainProgress& now) {
      progress.Show(now);
      return goes_on();
    });
  }
  if (!result.ok()) return result.status();
  events::EventPackage fitted = FittedPackage(line, options, *result);
  judged.rules = false;
  const absl::StatusOr<events::Evaluation> own = EvaluatePackage(fitted, *streams, judged);
  if (!own.ok()) return own.status();
  const double change = Loss(*own) - Loss(*others);
  others->times.insert(others->times.begin(), own->times[0]);
  others->marks.insert(others->marks.begin(), own->marks[0]);
  absl::PrintF("%sThe new model's loss of interval and mark is %.3f nats an event %s than that of %s.\n",
               EvaluationTable(*others), std::fabs(change), change < 0 ? "lower" : "higher", reference->name);
  return output.Conclude(change < 0, reference->name, [&] { return events::SaveEventPackage(line.output, fitted); });
}

}  // namespace aaren::training
