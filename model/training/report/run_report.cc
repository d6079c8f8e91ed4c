#include "model/training/report/run_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "model/training/report/figure.h"
#include "model/training/report/text_file.h"

namespace aaren::training {
namespace {

constexpr Sheet kSheet = {.columns = 2, .width = 560, .height = 250};
constexpr char kStyle[] =
    "body{font:15px/1.45 sans-serif;color:#333;max-width:1120px;margin:2em auto;padding:0 1em}h1{font-size:1.5em}"
    "h2{font-size:1.15em;margin-top:1.8em}table{border-collapse:collapse}td,th{padding:.2em 1.2em .2em "
    "0;text-align:left;"
    "vertical-align:top;border-bottom:1px solid #e4e4e4}.n td,.n th{text-align:right}td,.n{font-variant-numeric:"
    "tabular-nums}pre{white-space:pre-wrap;background:#f6f6f6;padding:.8em}svg{max-width:100%;height:auto}";

using Cells = std::vector<std::string>;

std::string Duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string Number(double value) { return std::isfinite(value) ? absl::StrFormat("%.4f", value) : "-"; }

std::string TableRow(const Cells& cells, absl::string_view tag) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) absl::StrAppend(&row, "<", tag, ">", Escaped(cell), "</", tag, ">");
  return row + "</tr>\n";
}

std::string Pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string table = "<table>\n";
  for (const auto& [name, value] : pairs) table += TableRow({name, value}, "td");
  return table + "</table>\n";
}

// The middle step of a stretch.
double Middle(const Stretch& stretch) { return stretch.last_step - (stretch.steps - 1) / 2; }

Line HeldOutLine(const History& history) {
  Line line = {.name = "held out", .x = {}, .y = {}};
  for (const HeldOutCheck& check : history.checks()) {
    line.x.push_back(check.step);
    line.y.push_back(check.loss);
  }
  return line;
}

Chart LossChart(const History& history) {
  Line training = {.name = "training", .x = {}, .y = {}, .faint = true};
  for (const Stretch& stretch : history.stretches()) {
    training.x.push_back(Middle(stretch));
    training.y.push_back(stretch.loss / stretch.steps);
  }
  return {.title = "Loss",
          .x_label = "step, logarithmic",
          .lines = {HeldOutLine(history), training},
          .logarithmic_x = true};
}

// Held-out loss in a separate chart, where the noise of training cannot set the scale.
Chart HeldOutChart(const History& history) {
  return {.title = "Held-out loss", .x_label = "step", .lines = {HeldOutLine(history)}};
}

Chart RateChart(const RunRecord& record, const History& history, int64_t steps) {
  Line adam = {.name = "AdamW", .x = {}, .y = {}}, muon = {.name = "Muon", .x = {}, .y = {}};
  for (const Stretch& stretch : history.stretches()) {
    // The trainer takes the rate before a step is counted, so step s had the factor of s - 1.
    const double factor = RateFactor(static_cast<int64_t>(stretch.last_step) - 1, steps);
    for (Line* line : {&adam, &muon}) line->x.push_back(stretch.last_step);
    adam.y.push_back(factor * record.optimizer.rate);
    muon.y.push_back(factor * record.optimizer.muon_rate);
  }
  return {.title = "Learning rate", .x_label = "step", .lines = {adam, muon}, .from_zero = true};
}

Chart SpeedChart(const History& history) {
  Line speed = {.name = "", .x = {}, .y = {}};
  for (const Stretch& stretch : history.stretches()) {
    speed.x.push_back(Middle(stretch));
    // A stretch without time has no speed, and NaN breaks the line.
    speed.y.push_back(stretch.seconds > 0 ? stretch.tokens / stretch.seconds : NAN);
  }
  return {.title = "Tokens a second, without checks", .x_label = "step", .lines = {speed}, .from_zero = true};
}

Chart QualityChart(const History& history, absl::string_view title, double QualityCheck::*score) {
  Chart chart = {.title = std::string(title), .x_label = "step", .lines = {}};
  for (const auto& [file, checks] : history.quality()) {
    Line line = {.name = file, .x = {}, .y = {}};
    for (const QualityCheck& check : checks) {
      line.x.push_back(check.step);
      line.y.push_back(check.*score);
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

std::string Curves(const RunRecord& record, const TrainProgress& progress) {
  const History& history = *progress.history;
  std::vector<Chart> charts = {LossChart(history), HeldOutChart(history), RateChart(record, history, progress.steps),
                               SpeedChart(history)};
  if (!history.quality().empty()) {
    charts.push_back(QualityChart(history, "MASE", &QualityCheck::mase));
    charts.push_back(QualityChart(history, "MASE / seasonal naive", &QualityCheck::relative));
  }
  return DrawFigure(charts, kSheet);
}

std::string Summary(const RunRecord& record, const TrainProgress& progress) {
  const std::vector<HeldOutCheck>& checks = progress.history->checks();
  const auto best = std::min_element(checks.begin(), checks.end(),
                                     [](const HeldOutCheck& a, const HeldOutCheck& b) { return a.loss < b.loss; });
  double tokens = 0, seconds = 0;
  for (const Stretch& stretch : progress.history->stretches()) {
    tokens += stretch.tokens;
    seconds += stretch.seconds;
  }
  const std::string least =
      best == checks.end() ? "none yet" : absl::StrFormat("%.5f, after step %.0f", best->loss, best->step);
  return Pairs({{"Steps", absl::StrCat(progress.step, " of ", progress.steps)},
                {"Least held-out loss", least},
                {"Parameters", absl::StrCat(progress.parameters)},
                {"Time", absl::StrCat(Duration(progress.seconds), ", checks included")},
                {"Speed", absl::StrFormat("%.0f tokens a second", seconds > 0 ? tokens / seconds : 0)},
                {"Data", absl::StrCat(record.data, ", seed ", record.data_seed)},
                {"Machine", record.machine},
                {"Code", record.code_version},
                {"Date", record.date}});
}

// The check of a file at this step, NaN if the file was not scored.
QualityCheck At(const std::vector<QualityCheck>& checks, double step) {
  const auto at = std::find_if(checks.begin(), checks.end(), [&](const QualityCheck& one) { return one.step == step; });
  return at == checks.end() ? QualityCheck{.step = step, .mase = NAN, .relative = NAN} : *at;
}

std::string Checks(const History& history) {
  Cells header = {"step", "held-out loss"};
  for (const auto& [file, checks] : history.quality()) {
    header.push_back(file + " MASE");
    header.push_back("/ seasonal naive");
  }
  std::string table = "<table class='n'>\n" + TableRow(header, "th");
  for (const HeldOutCheck& check : history.checks()) {
    Cells cells = {absl::StrFormat("%.0f", check.step), Number(check.loss)};
    for (const auto& [file, checks] : history.quality()) {
      const QualityCheck quality = At(checks, check.step);
      cells.push_back(Number(quality.mase));
      cells.push_back(Number(quality.relative));
    }
    table += TableRow(cells, "td");
  }
  return table + "</table>\n";
}

// The newest and the best check of each group of held-out series.
std::string Groups(const History& history) {
  if (history.groups().empty()) return "";
  std::string table = "<h2>Held-out series by family</h2>\n<table class='n'>\n" +
                      TableRow({"family", "loss at the newest check", "least"}, "th");
  for (const auto& [group, checks] : history.groups()) {
    const auto less = [](const HeldOutCheck& a, const HeldOutCheck& b) { return a.loss < b.loss; };
    const double least = std::min_element(checks.begin(), checks.end(), less)->loss;
    table += TableRow({group, Number(checks.back().loss), Number(least)}, "td");
  }
  return table + "</table>\n";
}

}  // namespace

std::string RunReport(const RunRecord& record, const TrainProgress& progress) {
  const std::string title = absl::StrCat("Training of ", Escaped(record.name));
  return absl::StrCat("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>", title, "</title><style>",
                      kStyle, "</style></head><body>\n<h1>", title, "</h1>\n", Summary(record, progress),
                      "<h2>Curves</h2>\n", Curves(record, progress), "<h2>Checks</h2>\n", Checks(*progress.history),
                      Groups(*progress.history), "<h2>Command</h2>\n<pre>", Escaped(record.command),
                      "</pre>\n<h2>Settings</h2>\n", Pairs(record.flags), "</body></html>\n");
}

std::string ReportPath(const std::string& checkpoint, const std::string& output) {
  if (!checkpoint.empty()) return checkpoint + "/report.html";
  absl::string_view folder = output;
  // With the slash of "models/mine/", the report would lie inside the package's folder.
  while (absl::ConsumeSuffix(&folder, "/")) {
  }
  return absl::StrCat(folder, ".report.html");
}

absl::Status WriteRunReport(const std::string& path, const RunRecord& record, const TrainProgress& progress) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;  // the write reports errors
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  return ReplaceTextFile(path, RunReport(record, progress));
}

}  // namespace aaren::training
