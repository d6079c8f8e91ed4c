#include "model/training/program/commands/synth.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "model/command_line/flags.h"
#include "model/tasks/forecasting/series_csv.h"
#include "model/tasks/forecasting/synthetic.h"
#include "model/training/report/figure.h"
#include "model/training/report/text_file.h"

namespace aaren::training {
namespace {

// All series are in memory at once: 100 million values take 800 MB.
constexpr int64_t kMostValues = 100'000'000;
constexpr int kSheetWidth = 1760;  // pixels

std::string FamilyNames() {
  return absl::StrJoin(forecasting::Families(), ", ",
                       [](std::string* text, const forecasting::Family& one) { absl::StrAppend(text, one.name); });
}

absl::Status CheckSynth(const SynthOptions& options) {
  absl::Status status;
  if (int64_t{options.count} * options.length > kMostValues) {
    status = absl::InvalidArgumentError(absl::StrCat("--count=", options.count, " times --length=", options.length,
                                                     " is more than ", kMostValues, " values"));
  }
  if (status.ok() && !options.family.empty() && forecasting::FindFamily(options.family) == nullptr) {
    status = absl::InvalidArgumentError(absl::StrCat("--family=", options.family, " is none of ", FamilyNames()));
  }
  if (status.ok() && options.csv.empty() && options.plot.empty()) {
    status = absl::InvalidArgumentError("synth needs a file to write: --csv=FILE, --plot=FILE.svg or both");
  }
  return status;
}

void AppendNumber(double value, std::string& text) {
  char digits[32];
  // std::to_chars writes the shortest text that reads back as the same double.
  if (!std::isnan(value)) text.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

Chart ChartOf(const std::string& name, const std::vector<double>& values) {
  Line line = {.name = "", .x = {}, .y = values};
  for (size_t t = 0; t < values.size(); ++t) line.x.push_back(static_cast<double>(t));
  return {.title = name, .x_label = "", .lines = {std::move(line)}, .show_gaps = true};
}

// Draws a sheet about half as high as wide, at most eight charts wide.
std::string SeriesFigure(const std::vector<std::string>& names, const std::vector<std::vector<double>>& series) {
  std::vector<Chart> charts;
  for (size_t i = 0; i < series.size(); ++i) charts.push_back(ChartOf(names[i], series[i]));
  Sheet sheet;
  sheet.columns = std::clamp(static_cast<int>(std::lround(std::sqrt(2.0 * static_cast<double>(series.size())))), 1, 8);
  sheet.width = std::min(880, kSheetWidth / sheet.columns);
  sheet.height = std::clamp(sheet.width * 3 / 4, 132, 320);
  return DrawFigure(charts, sheet);
}

// Adds the middle of each series of the files, named after file and series.
absl::Status AddBeside(const SynthOptions& options, std::vector<std::string>& names,
                       std::vector<std::vector<double>>& series) {
  for (const std::string& file : options.beside) {
    const absl::StatusOr<std::vector<forecasting::CsvSeries>> read = forecasting::ReadCsvSeries(file, {});
    if (!read.ok()) return read.status();
    for (const forecasting::CsvSeries& one : *read) {
      const size_t length = std::min(one.values.size(), static_cast<size_t>(options.length));
      const auto begin = one.values.begin() + static_cast<int64_t>((one.values.size() - length) / 2);
      names.push_back(absl::StrCat(std::filesystem::path(file).stem().string(), " ", one.name));
      series.emplace_back(begin, begin + static_cast<int64_t>(length));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SynthOptions> ParseSynth(int argc, char** argv) {
  SynthOptions options;
  std::string beside;
  command_line::Flags flags(
      "aaren-train synth [--csv=FILE] [--plot=FILE.svg] [flags]",
      absl::StrCat("Writes series of the generator, named seed/number. Training with --seed=S draws those of seed 2S "
                   "and\nholds out those of 2S + 1. Families: ",
                   FamilyNames(), "."));
  flags.Add("seed", &options.seed, "seed of the series");
  flags.Add("first", &options.first, "number of the first series");
  flags.Add("count", &options.count, "series to write").AtLeast(1);
  flags.Add("length", &options.length, "values a series; another length gives other series").AtLeast(1);
  flags.Add("family", &options.family, "draw series of this family alone");
  flags.Add("beside", &beside, "CSV files, separated by commas, whose series are drawn too: their middle, as long");
  flags.Add("csv", &options.csv, "CSV file to write: one column a series, empty where a value is missing");
  flags.Add("plot", &options.plot, "SVG file to write: a chart of each series, shaded where values are missing");
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.ok()) return parsed.status();
  options.help = parsed->answer;
  if (!options.help.empty()) return options;
  options.beside = absl::StrSplit(beside, ',', absl::SkipEmpty());
  return options;
}

absl::Status Synth(const SynthOptions& options) {
  absl::Status status = CheckSynth(options);
  if (!status.ok()) return status;
  std::vector<std::string> names, titles;
  std::vector<std::vector<double>> series;
  for (int i = 0; i < options.count; ++i) {
    const uint64_t index = options.first + i;
    const forecasting::Family& family = options.family.empty() ? forecasting::SyntheticFamily(options.seed, index)
                                                               : *forecasting::FindFamily(options.family);
    names.push_back(absl::StrCat(options.seed, "/", index));
    titles.push_back(absl::StrCat(names.back(), " ", family.name));
    series.push_back(forecasting::SyntheticSeries(family, options.seed, index, options.length));
  }
  if (!options.csv.empty()) status = ReplaceTextFile(options.csv, SeriesCsv(names, series));
  if (!status.ok() || options.plot.empty()) return status;
  status = AddBeside(options, titles, series);
  return status.ok() ? ReplaceTextFile(options.plot, SeriesFigure(titles, series)) : status;
}

std::string SeriesCsv(const std::vector<std::string>& names, const std::vector<std::vector<double>>& series) {
  std::string text = absl::StrJoin(names, ",") + "\n";
  for (size_t t = 0; t < series.front().size(); ++t) {
    const size_t begin = text.size();
    for (size_t i = 0; i < series.size(); ++i) {
      if (i > 0) text += ',';
      AppendNumber(series[i][t], text);
    }
    if (text.size() == begin) text += "\"\"";  // an empty line would be no row
    text += '\n';
  }
  return text;
}

}  // namespace aaren::training
