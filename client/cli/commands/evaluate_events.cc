#include "client/cli/commands/evaluate_events.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands/served_models.h"
#include "client/cli/evaluate/events/event_page.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/shown.h"
#include "client/cli/terminal/whole_file.h"

namespace aaren::cli {
namespace {

void ShowEventProgress(size_t done, size_t all) {
  // A log would keep every step of the progress.
  if (isatty(STDERR_FILENO) != 1) return;
  absl::FPrintF(stderr, "\r%d of %d series%s", done, all, done == all ? "\r\x1b[K" : "");
}

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

bool PrintScores(const EvaluateEventsLine& line, const EventScores& scores, size_t series) {
  const std::string text = line.json ? EventScoresToJsonLines(scores.evaluation)
                                     : absl::StrCat(Shown(line.path), ": ", series, " series, model ", scores.model,
                                                    ", ", EvaluationTable(scores.evaluation));
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) == 0) return true;
  Say(absl::StrCat("cannot write to standard output: ", std::strerror(errno)));
  return false;
}

absl::StatusOr<EventScores> EvaluateFile(EvaluateEventsLine& line, const std::vector<EventSeries>& all,
                                         const Interrupt& interrupt) {
  EventEvaluationOptions& options = line.evaluation;
  if (options.model.empty()) {
    absl::StatusOr<std::string> model =
        FindEventModel(options.target, options.channel, options.connect_timeout, interrupt);
    if (!model.ok()) return model.status();
    options.model = *std::move(model);
  }
  return EvaluateEvents(all, options, interrupt, [&](size_t done) { ShowEventProgress(done, all.size()); });
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
  interrupt.reset();  // now a signal ends the program at once, though nobody may read what it prints
  if (!scores.ok()) return Fail(scores.status());
  const bool printed = PrintScores(line, *scores, all->size());
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
