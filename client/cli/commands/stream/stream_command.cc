// aaren stream: a CSV file, standard input, events or this machine's own load into one session, a forecast per row out.

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands/command.h"
#include "client/cli/commands/stream/stream_flags.h"
#include "client/cli/commands/stream/stream_model.h"
#include "client/cli/commands/stream/stream_options.h"
#include "client/cli/commands/stream/stream_source.h"
#include "client/cli/sources/series_list.h"
#include "client/cli/stream/alert.h"
#include "client/cli/stream/class_lines.h"
#include "client/cli/stream/forecast_stream.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr size_t kMarkNames = 4096;  // remembered texts of marks of a pipe

bool WantsView(const StreamFlags& stream) {
  const char* terminal = std::getenv("TERM");
  return !stream.json && !stream.text && !stream.alerts_only && isatty(STDOUT_FILENO) == 1 && terminal != nullptr &&
         absl::string_view(terminal) != "dumb";
}

void Learn(const EventSeries& series, client::MarkNames& names) {
  // The reader has checked the marks.
  for (const Event& event : series.events) names.Add(event.mark).IgnoreError();
}

int ExitStatus(const absl::Status& status, const ForecastStream& forecasts, const Interrupt& interrupt) {
  const int signal = interrupt.signal();
  if (signal != 0) {
    Say(absl::StrCat("stopped: ", forecasts.tokens(), " rows sent, ", forecasts.forecasts(), " forecasts delivered"));
  }
  // Without a reader nobody is there to be told.
  const bool left = forecasts.reader_left() && signal == 0;
  if (!status.ok() && !left) Say(status.message());
  if (signal != 0) return 128 + signal;
  return left ? 128 + SIGPIPE : status.ok() ? kSuccess : kFailure;
}

int FailOpen(const absl::Status& status, const Interrupt& interrupt) {
  // A signal during the opening is the reason of the end, with any error.
  const int failed = Fail(status);
  return interrupt.signal() != 0 ? 128 + interrupt.signal() : failed;
}

// The names of the series that have a line for each row.
std::vector<std::string> RecordSeries(const RowSource& source, bool classifies) {
  if (classifies) return {ClassLines::SeriesOf(source.columns())};
  return source.columns();
}

int Stream(const StreamFlags& stream, Interrupt& interrupt, const EventSeries* series = nullptr) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is an error of the write
  const absl::StatusOr<std::unique_ptr<RowSource>> source = OpenSource(stream, series, interrupt);
  if (!source.ok()) return FailOpen(source.status(), interrupt);
  ForecastStreamOptions options = StreamOptions(stream);
  const absl::Status chosen = ChooseModel(stream, interrupt, options);
  if (!chosen.ok()) return FailOpen(chosen, interrupt);
  client::MarkNames names(series != nullptr ? 2 * (series->events.size() + 1) : kMarkNames);
  // Replies after a resume name marks of events that were sent before.
  if (series != nullptr) Learn(*series, names);
  const EventStreamOptions events = EventOptions(stream, names);
  options.events = &events;
  std::unique_ptr<OutputFile> output;
  if (!stream.output.empty()) {
    absl::StatusOr<std::unique_ptr<OutputFile>> opened =
        OutputFile::Open(stream.output, RecordSeries(**source, options.classifies));
    if (!opened.ok()) return Fail(opened.status());
    output = *std::move(opened);
    if (output->cut_bytes() > 0) {
      Say(absl::StrCat(stream.output, ": cut off ", output->cut_bytes(), " bytes of lines that were not finished"));
    }
  } else if (!WantsView(stream) || options.classifies) {
    output = OutputFile::Standard();
  }
  std::unique_ptr<LiveView> view;
  if (WantsView(stream) && !options.classifies) {
    std::unique_ptr<EventChart> chart;
    if ((*source)->has_marks()) {
      chart = std::make_unique<EventChart>(events.spans, options.alert.value_or(AlertRule(kSurprisingRate)), names);
    }
    view =
        std::make_unique<LiveView>((*source)->columns(), options.session, interrupt, options.alert, std::move(chart));
  }
  ForecastStream forecasts(options, **source, output.get(), view.get(), interrupt);
  const absl::Status status = forecasts.Run();
  view.reset();  // the terminal is back before the last words
  for (const std::string& sentence : (*source)->Summary()) Say(sentence);
  if (forecasts.alerts() && forecasts.forecasts() > 0) Say(forecasts.alerts()->Summary());
  return ExitStatus(status, forecasts, interrupt);
}

int StreamOne(const StreamFlags& stream) {
  Interrupt interrupt(stream.duration);
  return Stream(stream, interrupt);
}

// True if the next series is to be streamed: --duration is for all series together. A signal ends the next one at once.
bool GoesOn(int status, const Interrupt& interrupt) {
  return status == kSuccess && (!interrupt.stopped() || interrupt.signal() != 0);
}

// A session for each series, one after the other.
int StreamEach(const StreamFlags& stream) {
  const absl::StatusOr<std::vector<std::string>> all = SeriesOf(stream.csv, stream.rows.csv);
  if (!all.ok()) return Fail(all.status());
  const std::string prefix = stream.session.empty() ? "" : stream.session + ":";
  Interrupt interrupt(stream.duration);
  for (const std::string& series : *all) {
    StreamFlags one = stream;
    one.rows.csv.only_series = series;
    if (!prefix.empty()) one.session = absl::StrCat(prefix, SessionPart(series));
    const int status = Stream(one, interrupt);
    if (!GoesOn(status, interrupt)) return status;
  }
  return kSuccess;
}

int StreamEvents(const StreamFlags& stream) {
  if (!IsRegularFile(stream.file.path)) return StreamOne(stream);
  const absl::StatusOr<std::vector<EventSeries>> all =
      ReadEventFile(stream.file.path, stream.file.Options(stream.rows.csv), stream.rows.times.late == "stop");
  if (!all.ok()) return Fail(all.status());
  if (all->size() > 1 && !stream.output.empty()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        stream.file.path, " has ", all->size(), " series, and the record --output=", stream.output, " is of one")));
  }
  Interrupt interrupt(stream.duration);
  for (const EventSeries& series : *all) {
    StreamFlags one = stream;
    if (!stream.session.empty() && !series.name.empty()) {
      one.session = absl::StrCat(stream.session, ":", SessionPart(series.name));
    }
    const int status = Stream(one, interrupt, &series);
    if (!GoesOn(status, interrupt)) return status;
  }
  return kSuccess;
}

}  // namespace

int RunStream(Arguments arguments) {
  StreamFlags stream;
  const absl::StatusOr<command_line::Parsed> parsed = stream.Table().Parse(arguments);
  if (parsed.ok() && !parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), kSuccess;
  const absl::Status status = parsed.ok() ? stream.Check() : parsed.status();
  if (!status.ok()) return FailUsage("stream", status);
  if (!stream.file.path.empty()) return StreamEvents(stream);
  return stream.rows.csv.series_column.empty() ? StreamOne(stream) : StreamEach(stream);
}

}  // namespace aaren::cli
