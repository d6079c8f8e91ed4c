// aaren stream: a CSV file, standard input, events or this machine's own load into one session, a forecast per row out.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "absl/random/random.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands/command.h"
#include "client/cli/commands/served_models.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/flags/durability_flag.h"
#include "client/cli/flags/event_flags.h"
#include "client/cli/flags/level_flags.h"
#include "client/cli/flags/refinement_flags.h"
#include "client/cli/sources/ahead/known_ahead.h"
#include "client/cli/sources/csv/csv_flags.h"
#include "client/cli/sources/events/event_file_flags.h"
#include "client/cli/sources/events/file_events.h"
#include "client/cli/sources/events/live_events.h"
#include "client/cli/sources/recent_rows.h"
#include "client/cli/sources/regular_source.h"
#include "client/cli/sources/series_list.h"
#include "client/cli/sources/system_source.h"
#include "client/cli/stream/alert.h"
#include "client/cli/stream/class_lines.h"
#include "client/cli/stream/forecast_stream.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr size_t kRecentRows = 1 << 16;  // kept rows of a source that cannot be read again
constexpr uint32_t kMaxHorizon = 1 << 16;
constexpr size_t kMarkNames = 4096;  // remembered texts of marks of a pipe

struct StreamFlags {
  ConnectionFlags connection;
  client::ChannelOptions channel;  // from the flags of the connection
  std::string csv, future_csv, source, session, model, output;
  CsvFlags rows;
  EventFileFlags file;
  EventFlags events;
  bool text = false;
  uint32_t horizon = 24, every = 1;
  LevelFlags quantiles;
  RefinementFlags refinement;
  DurabilityFlag durability;
  std::optional<double> alert;
  absl::Duration interval = absl::Seconds(1), duration = absl::InfiniteDuration();
  absl::Duration connect_timeout = absl::Seconds(30);
  bool alert_early = false, alerts_only = false, retry = false, json = false;
};

command_line::Flags Table(StreamFlags& stream) {
  command_line::Flags flags(
      "aaren stream --target=HOST:PORT (--csv=FILE | --events=FILE | --source=system) [flags]",
      "Streams rows into a session, a channel per column, and prints a forecast per row: live on a terminal,\n"
      "else one JSON object a line. With --output the same command goes on where it was killed.");
  flags.Add("csv", &stream.csv, "a CSV file with a header line; - reads standard input");
  stream.file.AddTo(flags);
  flags.Add("source", &stream.source, "system: this machine's own CPU, memory, disk and network");
  flags.Add("session", &stream.session, "id of the session, kept afterwards; without it one is made, and deleted");
  flags.Add("model", &stream.model, "name, name:version or name@label; without it the server's default");
  flags.Add("output", &stream.output, "append the forecasts to this file instead, as a durable record");
  stream.rows.AddTo(flags);
  flags.Add("future_csv", &stream.future_csv,
            "a CSV file with rows of the --future columns behind those of --csv; beside a pipe, by their times");
  flags.Add(
      "from_start", &stream.rows.times.from_start,
      "take the file from its first row, behind the session's last; without it the session goes on behind the time\n"
      "of its last row, or, where there are no times, a file has the session's rows from the first");
  stream.events.AddTo(flags);
  flags.Add("text", &stream.text, "of events and classes: lines of words instead of JSON");
  flags.Add("horizon", &stream.horizon, "steps ahead").Between(1, kMaxHorizon);
  flags.Add("every", &stream.every, "forecast at every so many rows").AtLeast(1);
  stream.quantiles.AddTo(flags);
  stream.refinement.AddTo(flags);
  stream.durability.AddTo(flags);
  flags.Add("alert", &stream.alert,
            "mark values so far out that only this share of all would be by chance: 0.001 for one in a thousand;\nwith "
            "--every only the rows after a forecast are judged");
  flags.Add("alert_early", &stream.alert_early,
            "alert from the first row on, while seasons are still new to the session; else after 100 rows or a season");
  flags.Add("alerts_only", &stream.alerts_only,
            "print only rows with an alert, all their series, as JSON; needs --alert, not with --output");
  flags.Add("interval", &stream.interval, "time between two samples of --source=system");
  flags.Add("duration", &stream.duration, "stop after so long");
  flags.Add("connect_timeout", &stream.connect_timeout, "give up if the server cannot be reached for so long");
  flags.Add("retry", &stream.retry, "never give up");
  flags.Add("json", &stream.json, "one JSON object a line, on a terminal too");
  stream.connection.AddTo(flags);
  return flags;
}

bool IsRegular(const std::string& path) {
  struct stat info;
  return path != "-" && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

absl::Status CheckEvents(const StreamFlags& stream) {
  absl::Status status = stream.file.Check(stream.rows);
  status.Update(stream.events.Check());
  if (stream.text && !stream.output.empty()) {
    status.Update(absl::InvalidArgumentError(absl::StrCat(
        "--text writes words, and the record --output=", stream.output, " needs JSON; give one of the two")));
  }
  return status;
}

absl::Status Check(const StreamFlags& stream) {
  const auto wrong = [](const auto&... what) { return absl::InvalidArgumentError(absl::StrCat(what...)); };
  if (absl::Status rows = stream.rows.Check(); !rows.ok()) return rows;
  const int sources = !stream.csv.empty() + !stream.source.empty() + !stream.file.path.empty();
  if (sources != 1) return wrong("give one of --csv=FILE, --events=FILE and --source=system");
  if (stream.text && stream.file.path.empty() && stream.model.empty()) {
    return wrong("--text is for --events=FILE, and for a classifier that --model names");
  }
  if (absl::Status events = CheckEvents(stream); !events.ok()) return events;
  if (!stream.source.empty() && stream.source != "system") return wrong("--source=", stream.source, " is not system");
  if (stream.alert && !(*stream.alert > 0 && *stream.alert < 1)) {
    return wrong("--alert=", *stream.alert, " is not between 0 and 1");
  }
  if (stream.rows.times.from_start && !stream.output.empty()) {
    return wrong("--from_start does not know how far the record --output=", stream.output,
                 " goes; give one of the two");
  }
  if (!stream.csv.empty() && !stream.rows.csv.series_column.empty() &&
      (!stream.output.empty() || !IsRegular(stream.csv))) {
    return wrong("--series_column=", stream.rows.csv.series_column, " reads a file once for each series: it takes ",
                 "--csv=FILE, no pipe, and no --output");
  }
  if (!stream.source.empty() && !(stream.rows.csv.past + stream.rows.csv.future).empty()) {
    return wrong("--source=system has no covariates; --past and --future name columns of --csv");
  }
  if (!stream.future_csv.empty() && stream.rows.csv.future.empty()) {
    return wrong("--future_csv=", stream.future_csv, " needs --future, the columns that are known in advance");
  }
  if (stream.alerts_only && !stream.alert) return wrong("--alerts_only needs --alert=RATE");
  if (stream.alert_early && !stream.alert) return wrong("--alert_early needs --alert=RATE");
  if (stream.alerts_only && !stream.output.empty()) {
    return wrong("--alerts_only leaves out rows that the record --output=", stream.output,
                 " has to hold, so that a stream can go on from it; give one of the two");
  }
  return absl::OkStatus();
}

absl::Status ReadChannel(StreamFlags& stream) {
  absl::StatusOr<client::ChannelOptions> channel = stream.connection.Channel();
  if (channel.ok()) stream.channel = *std::move(channel);
  return channel.status();
}

// A pipe or a device may keep a reader waiting for ever, so the read also waits for the interrupt.
absl::StatusOr<ByteSource> OpenPipe(const std::string& path, const Interrupt& interrupt) {
  if (path == "-") return interrupt.Bytes(STDIN_FILENO, "standard input");
  // Without O_NONBLOCK the open of a named pipe waits for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // closed with the process
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return interrupt.Bytes(fd, path);
}

std::string SourceName(const StreamFlags& stream) {
  if (!stream.source.empty()) return "--source=system";
  const std::string& path = stream.csv.empty() ? stream.file.path : stream.csv;
  return path == "-" ? "standard input" : path;
}

absl::StatusOr<std::unique_ptr<RowSource>> OpenCsv(const StreamFlags& stream, const Interrupt& interrupt) {
  const bool again = IsRegular(stream.csv);
  const RegularSource::Opener opener = [&interrupt, again, path = stream.csv] {
    return again ? OpenBytes(path) : OpenPipe(path, interrupt);
  };
  absl::StatusOr<std::unique_ptr<RegularSource>> source =
      RegularSource::Open(SourceName(stream), opener, again, stream.rows.csv, stream.rows.times);
  if (!source.ok()) return source.status();
  const RegularSource& regular = **source;
  std::unique_ptr<RowSource> rows = *std::move(source);
  // A pipe cannot be read again: the latest rows stay, in case the server wants them once more.
  if (!again) rows = std::make_unique<RecentRows>(std::move(rows), kRecentRows);
  if (rows->covariates().future == 0) return rows;
  KnownAheadOptions ahead{.horizon = stream.horizon, .file = again, .grid = [&regular] { return regular.grid(); }};
  if (!stream.future_csv.empty()) {
    absl::StatusOr<FutureRows> further = FutureRows::Read(stream.future_csv, stream.rows.csv, rows->has_times());
    if (!further.ok()) return further.status();
    ahead.further = *std::move(further);
  }
  return std::make_unique<KnownAhead>(std::move(rows), std::move(ahead));
}

absl::StatusOr<std::unique_ptr<RowSource>> OpenLiveEvents(const StreamFlags& stream, const Interrupt& interrupt) {
  absl::StatusOr<ByteSource> bytes = OpenPipe(stream.file.path, interrupt);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<std::unique_ptr<EventReader>> reader =
      EventReader::Open(SourceName(stream), *std::move(bytes), stream.file.Options(stream.rows.csv), /*live=*/true);
  if (!reader.ok()) return reader.status();
  return std::make_unique<RecentRows>(
      std::make_unique<LiveEvents>(*std::move(reader), stream.rows.times.late == "stop"), kRecentRows);
}

// `series` is a series of a file of events; null for any other source.
absl::StatusOr<std::unique_ptr<RowSource>> OpenSource(const StreamFlags& stream, const EventSeries* series,
                                                      const Interrupt& interrupt) {
  if (series != nullptr) {
    return std::make_unique<FileEvents>(SourceName(stream), *series, stream.rows.times.from_start);
  }
  if (!stream.file.path.empty()) return OpenLiveEvents(stream, interrupt);
  if (!stream.csv.empty()) return OpenCsv(stream, interrupt);
  absl::StatusOr<std::unique_ptr<SystemSource>> source =
      SystemSource::Open(stream.rows.csv.columns, stream.interval, interrupt);
  if (!source.ok()) return source.status();
  return std::make_unique<RecentRows>(*std::move(source), kRecentRows);
}

std::string RandomSession() {
  absl::BitGen random;
  return absl::StrFormat("stream-%016x", absl::Uniform<uint64_t>(random));
}

// The same for the same file on the same machine: FNV-1a over both names.
std::string SessionOfOutput(const std::string& output) {
  char host[HOST_NAME_MAX + 1] = {};
  // Two machines may have records of the same path.
  gethostname(host, HOST_NAME_MAX);
  std::error_code error;
  // A record stays the same record under another name of its path.
  const std::filesystem::path path = std::filesystem::weakly_canonical(std::filesystem::absolute(output, error), error);
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : absl::StrCat(host, "\n", path.string())) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return absl::StrFormat("output-%016x", hash);
}

ForecastStreamOptions Options(const StreamFlags& stream) {
  ForecastStreamOptions options{.target = stream.connection.target,
                                .channel = stream.channel,
                                .source = SourceName(stream),
                                .session = stream.session,
                                .model = stream.model,
                                .horizon = stream.horizon,
                                .every = stream.every,
                                .levels = stream.quantiles.levels,
                                .refinement = stream.refinement,
                                .durability = stream.durability,
                                .durable = !stream.output.empty(),
                                .alerts_only = stream.alerts_only,
                                .connect_timeout = stream.connect_timeout};
  if (stream.alert) options.alert.emplace(*stream.alert, stream.alert_early);
  // A record finds its session again by the path of the file. Without a record the session ends with the program.
  if (stream.session.empty()) {
    options.owned = options.durable;
    options.delete_session = !options.durable;
    options.session = options.durable ? SessionOfOutput(stream.output) : RandomSession();
  }
  if (stream.retry) options.connect_timeout = options.reconnect_timeout = absl::InfiniteDuration();
  return options;
}

EventStreamOptions EventOptions(const StreamFlags& stream, client::MarkNames& names) {
  return {.output = stream.events.Output(),
          .scale = stream.events.scale.Scale(),
          .spans = stream.events.spans(),
          .words = stream.text,
          .names = &names};
}

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
  // Without a signal the reader of the output has left, and nobody is there to be told.
  const bool told = absl::IsCancelled(status) && signal == 0;
  if (!status.ok() && !told) Say(status.message());
  if (signal != 0) return 128 + signal;
  return told ? 128 + SIGPIPE : status.ok() ? kSuccess : kFailure;
}

int FailOpen(const absl::Status& status, const Interrupt& interrupt) {
  // A signal during the opening is the reason of the end, with any error.
  const int failed = Fail(status);
  return interrupt.signal() != 0 ? 128 + interrupt.signal() : failed;
}

absl::Status CheckClassifier(const StreamFlags& stream, const ForecastStreamOptions& options) {
  const auto wrong = [&](absl::string_view flag, absl::string_view problem) {
    return absl::InvalidArgumentError(absl::StrCat(flag, " ", problem, "; --model=", stream.model, " is ",
                                                   options.classifies ? "a classifier" : "none"));
  };
  if (!options.classifies) return stream.text ? wrong("--text", "is for classifiers") : absl::OkStatus();
  if (stream.alert) return wrong("--alert", "judges forecasts of values");
  if (!stream.quantiles.levels.empty()) return wrong("--quantiles", "are of forecasts of values");
  return absl::OkStatus();
}

// A session of events needs a model of events. The model that a user names for rows may be a classifier.
absl::Status ChooseModel(const StreamFlags& stream, const Interrupt& interrupt, ForecastStreamOptions& options) {
  const bool events = !stream.file.path.empty();
  if (events != options.model.empty()) return absl::OkStatus();
  const absl::Duration timeout = stream.retry ? absl::InfiniteDuration() : stream.connect_timeout;
  const std::string& target = stream.connection.target;
  absl::StatusOr<std::string> found = events ? FindEventModel(target, stream.channel, timeout, interrupt)
                                             : KindOfModel(target, stream.channel, options.model, timeout, interrupt);
  if (!found.ok()) return found.status();
  if (events) {
    options.model = *std::move(found);
    return absl::OkStatus();
  }
  options.classifies = *found == client::kClassificationKind;
  options.words = stream.text;
  return CheckClassifier(stream, options);
}

// The names of the series that have a line for each row.
std::vector<std::string> RecordSeries(const RowSource& source, bool classifies) {
  if (classifies) return {ClassLines::SeriesOf(source.columns())};
  return source.columns();
}

int Stream(const StreamFlags& stream, const EventSeries* series = nullptr) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is an error of the write
  Interrupt interrupt(stream.duration);
  const absl::StatusOr<std::unique_ptr<RowSource>> source = OpenSource(stream, series, interrupt);
  if (!source.ok()) return FailOpen(source.status(), interrupt);
  ForecastStreamOptions options = Options(stream);
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

// A session for each series, one after the other.
int StreamEach(const StreamFlags& stream) {
  const absl::StatusOr<std::vector<std::string>> all = SeriesOf(stream.csv, stream.rows.csv);
  if (!all.ok()) return Fail(all.status());
  const std::string prefix = stream.session.empty() ? "" : stream.session + ":";
  for (const std::string& series : *all) {
    StreamFlags one = stream;
    one.rows.csv.only_series = series;
    if (!prefix.empty()) one.session = absl::StrCat(prefix, SessionPart(series));
    const int status = Stream(one);
    if (status != kSuccess) return status;
  }
  return kSuccess;
}

int StreamEvents(const StreamFlags& stream) {
  if (!IsRegular(stream.file.path)) return Stream(stream);
  const absl::StatusOr<std::vector<EventSeries>> all =
      ReadEventFile(stream.file.path, stream.file.Options(stream.rows.csv), stream.rows.times.late == "stop");
  if (!all.ok()) return Fail(all.status());
  if (all->size() > 1 && !stream.output.empty()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        stream.file.path, " has ", all->size(), " series, and the record --output=", stream.output, " is of one")));
  }
  for (const EventSeries& series : *all) {
    StreamFlags one = stream;
    if (!stream.session.empty() && !series.name.empty()) {
      one.session = absl::StrCat(stream.session, ":", SessionPart(series.name));
    }
    const int status = Stream(one, &series);
    if (status != kSuccess) return status;
  }
  return kSuccess;
}

}  // namespace

int RunStream(Arguments arguments) {
  StreamFlags stream;
  const absl::StatusOr<command_line::Parsed> parsed = Table(stream).Parse(arguments);
  if (parsed.ok() && !parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), kSuccess;
  absl::Status status = parsed.ok() ? Check(stream) : parsed.status();
  if (status.ok()) status = ReadChannel(stream);
  if (!status.ok()) return FailUsage("stream", status);
  if (!stream.file.path.empty()) return StreamEvents(stream);
  return stream.rows.csv.series_column.empty() ? Stream(stream) : StreamEach(stream);
}

}  // namespace aaren::cli
