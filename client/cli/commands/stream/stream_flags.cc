#include "client/cli/commands/stream/stream_flags.h"

#include <sys/stat.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace aaren::cli {
namespace {

constexpr uint32_t kMaxHorizon = 1 << 16;

template <typename... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

}  // namespace

command_line::Flags StreamFlags::Table() {
  command_line::Flags flags(
      "aaren stream --target=HOST:PORT (--csv=FILE | --events=FILE | --source=system) [flags]",
      "Streams rows into a session, a channel per column, and prints a forecast per row: live on a terminal,\n"
      "else one JSON object a line. With --output the same command goes on where it was killed.");
  flags.Add("csv", &csv, "a CSV file with a header line; - reads standard input");
  file.AddTo(flags);
  flags.Add("source", &source, "system: this machine's own CPU, memory, disk and network");
  flags.Add("session", &session, "id of the session, kept afterwards; without it one is made, and deleted");
  flags.Add("model", &model, "name, name:version or name@label; without it the server's default");
  flags.Add("output", &output, "append the forecasts to this file instead, as a durable record");
  rows.AddTo(flags);
  flags.Add("future_csv", &future_csv,
            "a CSV file with rows of the --future columns behind those of --csv; beside a pipe, by their times");
  flags.Add(
      "from_start", &rows.times.from_start,
      "take the file from its first row, behind the session's last; without it the session goes on behind the time\n"
      "of its last row, or, where there are no times, a file has the session's rows from the first");
  events.AddTo(flags);
  flags.Add("text", &text, "of events and classes: lines of words instead of JSON");
  flags.Add("horizon", &horizon, "steps ahead").Between(1, kMaxHorizon);
  flags.Add("every", &every, "forecast at every so many rows").AtLeast(1);
  quantiles.AddTo(flags);
  refinement.AddTo(flags);
  durability.AddTo(flags);
  flags.Add("alert", &alert,
            "mark values so far out that only this share of all would be by chance: 0.001 for one in a thousand;\nwith "
            "--every only the rows after a forecast are judged");
  flags.Add("alert_early", &alert_early,
            "alert from the first row on, while seasons are still new to the session; else after 100 rows or a season");
  flags.Add("alerts_only", &alerts_only,
            "print only rows with an alert, all their series, as JSON; needs --alert, not with --output");
  flags.Add("interval", &interval, "time between two samples of --source=system");
  flags.Add("duration", &duration, "stop after so long, all series together");
  flags.Add("connect_timeout", &connect_timeout, "give up if the server cannot be reached for so long");
  flags.Add("retry", &retry, "never give up");
  flags.Add("json", &json, "one JSON object a line, on a terminal too");
  connection.AddTo(flags);
  return flags;
}

absl::Status StreamFlags::Check() {
  for (const absl::Status& status : {rows.Check(), CheckSource(), CheckWords(), CheckCovariates(), CheckAlerts()}) {
    if (!status.ok()) return status;
  }
  absl::StatusOr<client::ChannelOptions> read = connection.Channel();
  if (read.ok()) channel = *std::move(read);
  return read.status();
}

absl::Status StreamFlags::CheckSource() const {
  const int sources = !csv.empty() + !source.empty() + !file.path.empty();
  if (sources != 1) return Wrong("give one of --csv=FILE, --events=FILE and --source=system");
  if (absl::Status status = file.Check(rows); !status.ok()) return status;
  if (absl::Status status = events.Check(); !status.ok()) return status;
  if (!source.empty() && source != "system") return Wrong("--source=", source, " is not system");
  if (rows.times.from_start && !output.empty()) {
    return Wrong("--from_start does not know how far the record --output=", output, " goes; give one of the two");
  }
  if (!csv.empty() && !rows.csv.series_column.empty() && (!output.empty() || !IsRegularFile(csv))) {
    return Wrong("--series_column=", rows.csv.series_column, " reads a file once for each series: it takes ",
                 "--csv=FILE, no pipe, and no --output");
  }
  return absl::OkStatus();
}

absl::Status StreamFlags::CheckWords() const {
  if (!text || output.empty()) return absl::OkStatus();
  return Wrong("--text writes words, and the record --output=", output, " needs JSON; give one of the two");
}

absl::Status StreamFlags::CheckCovariates() const {
  if (!source.empty() && !(rows.csv.past + rows.csv.future).empty()) {
    return Wrong("--source=system has no covariates; --past and --future name columns of --csv");
  }
  if (!future_csv.empty() && rows.csv.future.empty()) {
    return Wrong("--future_csv=", future_csv, " needs --future, the columns that are known in advance");
  }
  return absl::OkStatus();
}

absl::Status StreamFlags::CheckAlerts() const {
  if (alert && !(*alert > 0 && *alert < 1)) return Wrong("--alert=", *alert, " is not between 0 and 1");
  if (alerts_only && !alert) return Wrong("--alerts_only needs --alert=RATE");
  if (alert_early && !alert) return Wrong("--alert_early needs --alert=RATE");
  if (alerts_only && !output.empty()) {
    return Wrong("--alerts_only leaves out rows that the record --output=", output,
                 " has to hold, so that a stream can go on from it; give one of the two");
  }
  return absl::OkStatus();
}

std::string StreamFlags::SourceName() const {
  if (!source.empty()) return "--source=system";
  const std::string& path = csv.empty() ? file.path : csv;
  return path == "-" ? "standard input" : path;
}

bool IsRegularFile(const std::string& path) {
  struct stat info;
  return path != "-" && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace aaren::cli
