#include "model/training/fit/fit.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "model/command_line/flags.h"
#include "model/engine/tier.h"
#include "model/package/package.h"

namespace aaren::training {
namespace {

// The columns, as typed.
struct FitTexts {
  std::string columns, past, future, missing;
};

void AddFitData(command_line::Flags& flags, FitLine& line, FitTexts& texts) {
  flags.Add("csv", &line.csv, "file of series: a header, then a row per time step and a column per series");
  flags.Add("events", &line.events, "file of events: CSV with columns time, mark and series, or JSON lines");
  flags.Add("columns", &texts.columns, "columns of --csv, separated by commas; empty: every column of numbers");
  flags.Add("series_column", &line.series_column,
            "column of --csv with the name of a row's series, where series lie one below the other");
  flags.Add("past", &texts.past, "columns of --csv beside the series, known until now, separated by commas");
  flags.Add("future", &texts.future, "columns of --csv beside the series, known in advance; with --past 8 at most");
  flags.Add("missing", &texts.missing, "number of --csv that stands for a missing value, beside empty fields");
  flags.Add("unit", &line.unit, "seconds in one unit of the times of --events");
  flags.Add("calendar", &line.calendar, "whether times of --events count from 1970 UTC");
  flags.Add("output", &line.output, "folder for the model package (required)");
  flags.Add("name", &line.name, "name of the model: a-z, 0-9 and -");
  flags.Add("description", &line.description, "a sentence about the model");
}

void AddFitRun(command_line::Flags& flags, FitLine& line) {
  flags.Add("from", &line.from, "folder of the package to begin with and to beat; empty: the bundled one");
  flags.Add("anew", &line.anew, "begin with random weights, not with the package's");
  flags.Add("keep", &line.keep, "write the new model even where the other one is better");
  flags.Add("horizon", &line.horizon, "steps ahead of a model of series made anew").Between(1, 1024);
  flags.Add("season", &line.season, "rows in a season, for the naive forecasts; 0: as found in each series").AtLeast(0);
  flags.Add("windows", &line.windows, "forecasts in the comparison, of all series together").AtLeast(1);
  flags.Add("steps", &line.steps, "training steps at most").AtLeast(1);
  flags.Add("batch", &line.batch, "crops a step").AtLeast(1);
  flags.Add("check_every", &line.check_every, "steps between two checks on the rows that training ends by").AtLeast(1);
  flags.Add("patience", &line.patience, "training ends after so many checks without a better one").AtLeast(1);
  flags.Add("rate", &line.rate, "factor on the learning rates; 0: 1 with --anew, else 0.1");
  flags.Add("seed", &line.seed, "seed of the training");
  flags.Add("threads", &line.threads, "CPU threads").Between(1, 1024);
  flags.Add("checkpoint", &line.checkpoint, "folder for checkpoints; the same command resumes from there");
}

absl::Status CheckFit(const FitLine& line) {
  if (line.csv.empty() == line.events.empty()) {
    return absl::InvalidArgumentError("give the data: either --csv=FILE or --events=FILE");
  }
  if (line.output.empty()) return absl::InvalidArgumentError("--output=FOLDER is required");
  if (absl::Status status = package::CheckName(line.name); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", status.message()));
  }
  if (!line.anew && line.horizon != FitLine().horizon) {
    return absl::InvalidArgumentError("--horizon needs --anew: the weights of a package forecast the package's steps");
  }
  if (!(line.rate >= 0 && line.rate <= 10)) {
    return absl::InvalidArgumentError(absl::StrCat("--rate=", line.rate, " is not between 0 and 10"));
  }
  if (line.unit >= 1e-9 && line.unit <= 1e9) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--unit=", line.unit, " is not between 1e-9 and 1e9 seconds"));
}

absl::Status CheckCovariates(const FitLine& line) {
  const size_t count = line.past.size() + line.future.size();
  if (count > 0 && line.csv.empty()) return absl::InvalidArgumentError("--past and --future are columns of --csv");
  if (count > engine::kMostCovariates) {
    return absl::InvalidArgumentError(
        absl::StrCat("--past and --future name ", count, " columns; a series has at most ", engine::kMostCovariates));
  }
  std::vector<std::string> all = line.columns;
  all.insert(all.end(), line.past.begin(), line.past.end());
  all.insert(all.end(), line.future.begin(), line.future.end());
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice == all.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("column \"", *twice, "\" is named twice in --columns, --past and --future"));
}

}  // namespace

absl::StatusOr<FitLine> ParseFit(int argc, char** argv) {
  FitLine line;
  line.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  FitTexts texts;
  command_line::Flags flags("aaren-train fit --csv=FILE|--events=FILE --output=FOLDER [flags]",
                            "Makes a model of your own data, compares it with the bundled model and with simple "
                            "methods on the last tenth,\nwhich training never sees, and writes it where it is the "
                            "better one. Ctrl-C ends the training and keeps the\nbest weights so far.");
  AddFitData(flags, line, texts);
  AddFitRun(flags, line);
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.ok()) return parsed.status();
  line.help = parsed->answer;
  if (!line.help.empty()) return line;
  if (absl::Status status = CheckFit(line); !status.ok()) return status;
  line.columns = absl::StrSplit(texts.columns, ',', absl::SkipWhitespace());
  line.past = absl::StrSplit(texts.past, ',', absl::SkipWhitespace());
  line.future = absl::StrSplit(texts.future, ',', absl::SkipWhitespace());
  if (absl::Status status = CheckCovariates(line); !status.ok()) return status;
  if (!texts.missing.empty() && !absl::SimpleAtod(texts.missing, &line.missing)) {
    return absl::InvalidArgumentError(absl::StrCat("--missing=", texts.missing, " is not a number"));
  }
  line.command = absl::StrCat("aaren-train ", absl::StrJoin(argv, argv + argc, " "));
  return line;
}

}  // namespace aaren::training
