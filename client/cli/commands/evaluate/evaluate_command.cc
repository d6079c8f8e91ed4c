// aaren evaluate: how good the forecasts of a server are for CSV files, beside three naive forecasts.

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands/command.h"
#include "client/cli/commands/evaluate/evaluate_classes.h"
#include "client/cli/commands/evaluate/evaluate_events.h"
#include "client/cli/commands/evaluate/evaluate_output.h"
#include "client/cli/evaluate/evaluation.h"
#include "client/cli/evaluate/page/evaluation_page.h"
#include "client/cli/evaluate/score_report.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/flags/event_flags.h"
#include "client/cli/flags/level_flags.h"
#include "client/cli/flags/refinement_flags.h"
#include "client/cli/sources/csv/csv_flags.h"
#include "client/cli/sources/events/event_file_flags.h"
#include "client/cli/sources/regular_source.h"
#include "client/cli/sources/series_list.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/whole_file.h"

namespace aaren::cli {
namespace {

constexpr uint32_t kMaxRowsAhead = 1 << 16;

struct EvaluateFlags {
  ConnectionFlags connection;
  client::ChannelOptions channel;  // from the flags of the connection
  std::string model, ts;
  std::optional<double> threshold;
  std::vector<std::string> csv;
  CsvFlags rows;
  EventFileFlags file;
  EventScaleFlags scale;
  uint32_t horizon = 24, season = 24;
  std::optional<int64_t> start, stride, windows, age;
  std::string report;
  RefinementFlags refinement;
  LevelFlags quantiles;
  absl::Duration connect_timeout = absl::Seconds(30);
  bool json = false, per_window = false;
};

command_line::Flags Table(EvaluateFlags& evaluate) {
  command_line::Flags flags(
      "aaren evaluate --target=HOST:PORT (--csv=FILE [--csv=FILE ...] | --events=FILE | --ts=FILE) [flags]",
      "Streams every column of the files through the server, scores forecasts against what came, and prints\n"
      "MASE, WQL and the share of values inside the 80 % interval, per series and over all, beside the last\n"
      "value's, the last season's and the drift's. --json has SQL too, the quantile loss scaled as in MASE.\n"
      "--quantiles and --level choose other levels; --past and --future add what sessions without covariates\n"
      "score. A second table shows that share by rows ahead, and how\n"
      "honest surprises are (where each value after an origin fell in its one-step forecast, from 0 to 1): KS,\n"
      "their Kolmogorov-Smirnov distance to uniform, of n values about 0.87 / sqrt(n) by chance alone, and the\n"
      "share of alerts at a nominal false-alarm rate of 1 % (below 0.005 or above 0.995). --stride=1 scores\n"
      "the surprise of every row. With --events the times and marks of events are scored, beside simple rules.\n"
      "With --ts the classes of labelled series are scored, after each share of a series.");
  flags.Add("csv", &evaluate.csv, "a CSV file with a header line; may be repeated");
  evaluate.file.AddTo(flags);
  evaluate.scale.AddTo(flags);
  const command_line::Flag ts =
      flags.Add("ts", &evaluate.ts, "labelled series in the .ts format of the UEA archive, for a classifier");
  flags
      .Add("threshold", &evaluate.threshold,
           "decide a series of --ts at this probability of a class; without it at the one that training chose")
      .Needs(ts);
  flags.Add("model", &evaluate.model, "name, name:version or name@label; without it the server's default");
  evaluate.rows.AddTo(flags);
  flags.Add("horizon", &evaluate.horizon, "rows to forecast from each origin").Between(1, kMaxRowsAhead);
  flags.Add("season", &evaluate.season, "rows in a season, of MASE and of the seasonal naive forecast").AtLeast(1);
  flags.Add("start", &evaluate.start, "the first origin's row; negative: from the end; without it at 80 % of the rows");
  flags
      .Add("stride", &evaluate.stride,
           "rows from one origin to the next; without it so many that --windows of them span all rows, or 1")
      .AtLeast(1);
  flags.Add("windows", &evaluate.windows, "origins, at most; without it all that fit").AtLeast(1);
  flags
      .Add("age", &evaluate.age,
           "begin a session so many rows before each origin; without it all rows before it are streamed")
      .AtLeast(1);
  flags.Add("report", &evaluate.report, "an HTML file to write with the table and figures");
  evaluate.quantiles.AddTo(flags);
  evaluate.refinement.AddTo(flags);
  flags.Add("connect_timeout", &evaluate.connect_timeout, "give up if the server cannot be reached for so long");
  const command_line::Flag json = flags.Add("json", &evaluate.json, "one JSON object a line");
  flags.Add("per_window", &evaluate.per_window, "with --json, before the scores a line for each window").Needs(json);
  evaluate.connection.AddTo(flags);
  return flags;
}

absl::Status Check(const EvaluateFlags& evaluate) {
  if (absl::Status rows = evaluate.rows.Check(); !rows.ok()) return rows;
  if (!evaluate.csv.empty() + !evaluate.file.path.empty() + !evaluate.ts.empty() != 1) {
    return absl::InvalidArgumentError("give at least one --csv=FILE, or --events=FILE, or --ts=FILE");
  }
  if (evaluate.threshold && !(*evaluate.threshold > 0 && *evaluate.threshold <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--threshold=", *evaluate.threshold, " is not above 0 and at most 1"));
  }
  return evaluate.file.Check(evaluate.rows);
}

EvaluatedServer ServerOf(const EvaluateFlags& evaluate) {
  return {.target = evaluate.connection.target,
          .channel = evaluate.channel,
          .model = evaluate.model,
          .connect_timeout = evaluate.connect_timeout};
}

absl::Status ReadChannel(EvaluateFlags& evaluate) {
  absl::StatusOr<client::ChannelOptions> channel = evaluate.connection.Channel();
  if (channel.ok()) evaluate.channel = *std::move(channel);
  return channel.status();
}

// Rows at the end without a value of any series tell only what is known in advance.
void LeaveOutFuture(absl::Span<EvaluatedSeries> series) {
  const auto missing = [](const EvaluatedSeries& one) { return std::isnan(one.values.back()); };
  while (!series[0].values.empty() && std::all_of(series.begin(), series.end(), missing)) {
    for (EvaluatedSeries& one : series) one.values.pop_back();
  }
}

// Reads the series of a file, or of one series of it.
absl::Status ReadSeries(const std::string& path, const CsvOptions& csv, const EvaluateFlags& evaluate,
                        std::vector<EvaluatedSeries>& series) {
  const RegularSource::Opener opener = [&path] { return OpenBytes(path); };
  const absl::StatusOr<std::unique_ptr<RegularSource>> source =
      RegularSource::Open(path, opener, /*again=*/true, csv, evaluate.rows.times);
  if (!source.ok()) return source.status();
  const size_t first = series.size();
  const auto covariates = std::make_shared<KnownCovariates>(KnownCovariates{.count = (*source)->covariates()});
  for (const std::string& column : (*source)->columns()) {
    // Several files may have columns of the same name.
    series.push_back({.name = evaluate.csv.size() == 1 ? column : absl::StrCat(path, ":", column)});
  }
  Row row;
  std::vector<std::string> times;
  absl::StatusOr<bool> any;
  while ((any = (*source)->Next(row)).ok() && *any) {
    for (size_t i = 0; i < row.values.size(); ++i) series[first + i].values.push_back(row.values[i]);
    covariates->rows.insert(covariates->rows.end(), row.covariates.begin(), row.covariates.end());
    if ((*source)->has_times()) times.push_back(row.time);
  }
  if (!any.ok()) return any.status();
  for (const std::string& sentence : (*source)->Summary()) Say(sentence);
  if (covariates->count.future > 0) LeaveOutFuture(absl::MakeSpan(series).subspan(first));
  // All series of a file have the same rows, and so the same origins.
  const absl::StatusOr<std::vector<size_t>> origins = Origins(
      series[first].values.size(),
      {.horizon = evaluate.horizon, .start = evaluate.start, .stride = evaluate.stride, .windows = evaluate.windows});
  if (!origins.ok()) return absl::Status(origins.status().code(), absl::StrCat(path, ": ", origins.status().message()));
  for (size_t i = first; i < series.size(); ++i) {
    series[i].origins = *origins;
    if (!covariates->rows.empty()) series[i].covariates = covariates;
    // Only the report draws forecasts.
    if (evaluate.report.empty()) continue;
    series[i].samples = SampleOrigins(*origins);
    for (size_t row : series[i].samples) {
      if (!times.empty()) series[i].sample_times.push_back(times[row]);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadFile(const std::string& path, const EvaluateFlags& evaluate, std::vector<EvaluatedSeries>& series) {
  CsvOptions csv = evaluate.rows.csv;
  if (csv.series_column.empty()) return ReadSeries(path, csv, evaluate, series);
  const absl::StatusOr<std::vector<std::string>> all = SeriesOf(path, csv);
  if (!all.ok()) return all.status();
  for (const std::string& one : *all) {
    csv.only_series = one;
    const size_t first = series.size();
    const absl::Status status = ReadSeries(path, csv, evaluate, series);
    if (!status.ok()) return status;
    for (size_t i = first; i < series.size(); ++i) series[i].name = absl::StrCat(one, ":", series[i].name);
  }
  return absl::OkStatus();
}

// `without` are the same rows, of sessions without covariates.
void AddWithoutCovariates(const std::vector<ScoreRow>& without, std::vector<ScoreRow>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) rows[i].without_covariates = without[i].forecast;
}

void Complain(const std::vector<ScoreRow>& rows) {
  for (const ScoreRow& row : rows) {
    if (std::isnan(row.forecast.mase)) {
      Say(absl::StrCat(row.series,
                       ": no MASE: its values do not differ from those of a season before, or none is left"));
    }
  }
}

absl::Status WriteReport(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores,
                         const std::vector<ScoreRow>& rows, const EvaluateFlags& evaluate, const std::string& command) {
  const EvaluationFacts facts = {.command = command,
                                 .files = evaluate.csv,
                                 .horizon = evaluate.horizon,
                                 .season = evaluate.season,
                                 .levels = !evaluate.quantiles.levels.empty()};
  return WriteWholeFile(evaluate.report, EvaluationPage(series, scores, rows, facts));
}

int Evaluate(const EvaluateFlags& evaluate, const std::string& command) {
  if (!evaluate.report.empty()) {
    // Checked first: the work behind the report takes a while.
    const absl::Status writable = CheckWritable(evaluate.report);
    if (!writable.ok()) return Fail(writable);
  }
  // Before any other thread: all threads inherit the blocked signals.
  std::optional<Interrupt> interrupt(std::in_place);
  std::vector<EvaluatedSeries> series;
  for (const std::string& path : evaluate.csv) {
    const absl::Status status = ReadFile(path, evaluate, series);
    if (!status.ok()) return Fail(status);
  }
  EvaluationOptions options{.server = ServerOf(evaluate),
                            .horizon = evaluate.horizon,
                            .season = evaluate.season,
                            .age = evaluate.age,
                            .refinement = evaluate.refinement,
                            .levels = evaluate.quantiles.levels};
  const auto progress = [&](size_t done) { ShowProgress(done, series.size(), "series"); };
  const absl::StatusOr<std::vector<SeriesScores>> scores = Evaluate(series, options, *interrupt, progress);
  absl::StatusOr<std::vector<SeriesScores>> without = scores;
  const bool covariates = !(evaluate.rows.csv.past + evaluate.rows.csv.future).empty();
  options.covariates = false;
  if (covariates && scores.ok()) without = Evaluate(series, options, *interrupt, progress);
  if (interrupt->signal() != 0) return 128 + interrupt->signal();
  interrupt.reset();  // now a signal ends the program at once, even while a pipe is not read
  for (const absl::Status& status : {scores.status(), without.status()}) {
    if (!status.ok()) return Fail(status);
  }
  std::vector<ScoreRow> rows = ScoreRows(series, *scores);
  if (covariates) AddWithoutCovariates(ScoreRows(series, *without), rows);
  Complain(rows);
  if (evaluate.per_window) PrintScores(WindowsToJsonLines(series, *scores));
  const bool levels = !evaluate.quantiles.levels.empty();
  const bool printed =
      PrintScores(evaluate.json ? ToJsonLines(rows, levels)
                                : absl::StrCat(ToTable(rows), "\n", ToCalibrationTable(rows),
                                               levels ? absl::StrCat("\n", ToLevelTable(rows)) : "",
                                               covariates ? absl::StrCat("\n", ToCovariateTable(rows)) : ""));
  // Behind the print: a report that cannot be written costs no scores.
  const absl::Status reported =
      evaluate.report.empty() ? absl::OkStatus() : WriteReport(series, *scores, rows, evaluate, command);
  if (!reported.ok()) return Fail(reported);
  return printed ? kSuccess : kFailure;
}

}  // namespace

int RunEvaluate(Arguments arguments) {
  EvaluateFlags evaluate;
  const absl::StatusOr<command_line::Parsed> parsed = Table(evaluate).Parse(arguments);
  if (parsed.ok() && !parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), kSuccess;
  absl::Status status = parsed.ok() ? Check(evaluate) : parsed.status();
  if (status.ok()) status = ReadChannel(evaluate);
  // The report shows the command to other people.
  const std::string command = absl::StrCat("aaren evaluate ", ShownCommand(arguments));
  if (!status.ok()) return FailUsage("evaluate", status);
  if (!evaluate.ts.empty()) {
    return RunEvaluateClasses({.path = evaluate.ts,
                               .evaluation = {.server = ServerOf(evaluate), .threshold = evaluate.threshold},
                               .json = evaluate.json});
  }
  if (evaluate.file.path.empty()) return Evaluate(evaluate, command);
  return RunEvaluateEvents({.path = evaluate.file.path,
                            .file = evaluate.file.Options(evaluate.rows.csv),
                            .evaluation = {.server = ServerOf(evaluate), .scale = evaluate.scale.Scale()},
                            .report = evaluate.report,
                            .json = evaluate.json,
                            .command = command});
}

}  // namespace aaren::cli
