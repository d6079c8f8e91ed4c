#include "client/cli/commands/evaluate/evaluate_events.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "client/cli/commands/evaluate/evaluate_output.h"
#include "client/cli/commands/served_models.h"
#include "client/cli/evaluate/events/event_page.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/shown.h"
#include "client/cli/terminal/whole_file.h"

namespace aaren::cli {
namespace {

size_t EventsOf(const std::vector<EventSeries>& all) {
  size_t events = 0;
  for (const EventSeries& series : all) events += series.events.size();
  return events;
}

void TellOfOrder(const EvaluateEventsLine& line, const std::vector<EventSeries>& all) {
  EventSeries sum;
  for (const EventSeries& series : all) {
    sum.late += series.late;
    sum.together += series.together;
  }
  for (const std::string& remark : sum.Remarks()) Say(absl::StrCat(line.path, ": ", remark));
}

std::string Text(const EvaluateEventsLine& line, const EventScores& scores, size_t series) {
  if (line.json) return EventScoresToJsonLines(scores.evaluation);
  return absl::StrCat(Shown(line.path), ": ", series, " series, model ", scores.model, ", ",
                      EvaluationTable(scores.evaluation));
}

absl::StatusOr<EventScores> EvaluateFile(EvaluateEventsLine& line, const std::vector<EventSeries>& all,
                                         const Interrupt& interrupt) {
  EvaluatedServer& server = line.evaluation.server;
  if (server.model.empty()) {
    const ServedModels models(server.target, server.channel, server.connect_timeout, interrupt);
    absl::StatusOr<std::string> model = models.NameOfEventModel();
    if (!model.ok()) return model.status();
    server.model = *std::move(model);
  }
  return EvaluateEvents(all, line.evaluation, interrupt,
                        [&](size_t done) { ShowProgress(done, all.size(), "series"); });
}

}  // namespace

int RunEvaluateEvents(EvaluateEventsLine line) {
  if (!line.report.empty()) {
    // Checked first: the work behind the report takes a while.
    const absl::Status writable = CheckWritable(line.report);
    if (!writable.ok()) return Fail(writable);
  }
  // Before any other thread: all threads inherit the blocked signals.
  std::optional<Interrupt> interrupt(std::in_place);
  const absl::StatusOr<std::vector<EventSeries>> all = ReadEventFile(line.path, line.file, /*stop_at_late=*/false);
  if (!all.ok()) return Fail(all.status());
  TellOfOrder(line, *all);
  const absl::StatusOr<EventScores> scores = EvaluateFile(line, *all, *interrupt);
  if (interrupt->signal() != 0) return 128 + interrupt->signal();
  interrupt.reset();  // now a signal ends the program at once, even while a pipe is not read
  if (!scores.ok()) return Fail(scores.status());
  const bool printed = PrintScores(Text(line, *scores, all->size()));
  // Behind the print: a report that cannot be written costs no scores.
  const absl::Status reported = line.report.empty()
                                    ? absl::OkStatus()
                                    : WriteWholeFile(line.report, EventPage(*scores, {.command = line.command,
                                                                                      .file = line.path,
                                                                                      .series = all->size(),
                                                                                      .events = EventsOf(*all)}));
  if (!reported.ok()) return Fail(reported);
  return printed ? kSuccess : kFailure;
}

}  // namespace aaren::cli
