#include "model/training/paper/grid/paper_report.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/training/report/figure.h"

namespace aaren::training {
namespace {

constexpr char kStyle[] =
    "body{font:15px/1.45 sans-serif;color:#333;max-width:1120px;margin:2em auto;padding:0 1em}"
    "pre{white-space:pre-wrap;background:#f6f6f6;padding:.8em}svg{max-width:100%;height:auto}";

using Runs = std::vector<const CompleteCell*>;

// The cells of a dataset with a mixer.
Runs RunsOf(absl::Span<const CompleteCell> cells, const std::string& dataset, bool aaren) {
  Runs runs;
  for (const CompleteCell& one : cells) {
    if (one.cell.dataset == dataset && one.cell.aaren == aaren) runs.push_back(&one);
  }
  return runs;
}

std::vector<std::string> DatasetsIn(absl::Span<const CompleteCell> cells) {
  std::vector<std::string> names;
  for (const CompleteCell& one : cells) {
    if (std::find(names.begin(), names.end(), one.cell.dataset) == names.end()) names.push_back(one.cell.dataset);
  }
  return names;
}

template <class Number>
std::vector<double> Numbers(const Runs& runs, const Number& number) {
  std::vector<double> numbers;
  for (const CompleteCell* run : runs) numbers.push_back(static_cast<double>(number(run->result)));
  return numbers;
}

std::string Text(const Spread& spread, int decimals) {
  if (std::isnan(spread.deviation)) return absl::StrFormat("%.*f", decimals, spread.mean);
  return absl::StrFormat("%.*f ± %.*f", decimals, spread.mean, decimals, spread.deviation);
}

std::string ScoreText(const Runs& runs, const std::string& metric, int decimals) {
  std::vector<double> scores;
  for (const CompleteCell* run : runs) {
    if (const auto at = run->result.scores.find(metric); at != run->result.scores.end()) scores.push_back(at->second);
  }
  return scores.empty() ? "-" : Text(SpreadOf(scores), decimals);
}

// Marks like [1] of the sentences, which enter `all` when they are new.
std::string Marks(const std::vector<std::string>& sentences, std::vector<std::string>& all) {
  std::string marks;
  for (const std::string& sentence : sentences) {
    auto at = std::find(all.begin(), all.end(), sentence);
    if (at == all.end()) at = all.insert(all.end(), sentence);
    absl::StrAppend(&marks, "[", at - all.begin() + 1, "]");
  }
  return marks;
}

std::string SeedsText(const Runs& runs) {
  return runs.empty() ? "-" : absl::StrJoin(runs, " ", [](std::string* text, const CompleteCell* run) {
    absl::StrAppend(text, run->cell.seed);
  });
}

std::vector<std::string> ScoreNames(absl::Span<const CompleteCell> cells, const std::string& dataset) {
  std::vector<std::string> names;
  for (const PaperMetric& metric : MetricsOf(cells.front().cell.task)) names.emplace_back(metric.name);
  for (const CompleteCell& one : cells) {
    for (const auto& [name, score] : one.result.scores) {
      const bool taken = std::find(names.begin(), names.end(), name) != names.end();
      if (one.cell.dataset == dataset && !taken) names.push_back(name);
    }
  }
  return names;
}

std::string ScoreRow(absl::Span<const CompleteCell> cells, const std::string& dataset, const std::string& metric,
                     const std::string& marks) {
  const std::string& task = cells.front().cell.task;
  int decimals = 3;
  for (const PaperMetric& one : MetricsOf(task)) decimals = one.name == metric ? one.decimals : decimals;
  const Runs softmax = RunsOf(cells, dataset, false), aaren = RunsOf(cells, dataset, true);
  const Published* paper = FindPublished(task, dataset, metric);
  return absl::StrCat("| ", dataset, " ", marks, " | ", metric, " | ", ScoreText(softmax, metric, decimals), " | ",
                      ScoreText(aaren, metric, decimals), " | ", paper == nullptr ? "-" : Text(paper->softmax, 2),
                      " | ", paper == nullptr ? "-" : Text(paper->aaren, 2), " |\n");
}

std::string ScoreTable(absl::Span<const CompleteCell> cells) {
  std::vector<std::string> sentences;
  std::string table =
      "| dataset | score | Transformer | Aaren | paper's Transformer | paper's Aaren |\n|---|---|---|---|---|---|\n";
  for (const std::string& dataset : DatasetsIn(cells)) {
    std::string marks;
    for (const CompleteCell& one : cells) {
      if (one.cell.dataset != dataset) continue;
      marks = Marks(one.result.deviations, sentences);
      break;
    }
    for (const std::string& metric : ScoreNames(cells, dataset)) {
      table += ScoreRow(cells, dataset, metric, marks);
    }
  }
  table += "\n";
  for (size_t i = 0; i < sentences.size(); ++i) absl::StrAppend(&table, "- [", i + 1, "] ", sentences[i], "\n");
  return table;
}

std::string CostTable(absl::Span<const CompleteCell> cells) {
  std::string table =
      "| dataset | mixer | seeds | parameters | epochs | minutes | CPU minutes | MiB "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const std::string& dataset : DatasetsIn(cells)) {
    for (const bool aaren : {false, true}) {
      const Runs runs = RunsOf(cells, dataset, aaren);
      if (runs.empty()) continue;
      const auto mean = [&](const auto& number) { return SpreadOf(Numbers(runs, number)).mean; };
      absl::StrAppendFormat(&table, "| %s | %s | %s | %d | %.1f | %.2f | %.2f | %.0f |\n", dataset,
                            runs.front()->cell.mixer(), SeedsText(runs), runs.front()->result.parameters,
                            mean([](const PaperResult& one) { return one.epochs; }),
                            mean([](const PaperResult& one) { return one.seconds / 60; }),
                            mean([](const PaperResult& one) { return one.cpu_seconds / 60; }),
                            mean([](const PaperResult& one) { return one.peak_bytes / 1048576.0; }));
    }
  }
  return table;
}

// The mean over the runs at each place that some run has.
std::vector<double> MeanCurve(const std::vector<Line>& lines) {
  size_t longest = 0;
  for (const Line& line : lines) longest = std::max(longest, line.y.size());
  std::vector<double> mean;
  for (size_t i = 0; i < longest; ++i) {
    std::vector<double> values;
    for (const Line& line : lines) {
      if (i < line.y.size()) values.push_back(line.y[i]);
    }
    mean.push_back(SpreadOf(values).mean);
  }
  return mean;
}

// 1, 2, 3 ... for a value per epoch; shares of the whole for a curve over the share of the series seen.
std::vector<double> Places(size_t count, bool shares) {
  std::vector<double> places;
  for (size_t i = 1; i <= count; ++i) {
    places.push_back(shares ? 100.0 * static_cast<double>(i) / static_cast<double>(count) : static_cast<double>(i));
  }
  return places;
}

Chart ChartOf(absl::Span<const CompleteCell> cells, const std::string& dataset, const std::string& curve) {
  const bool shares = absl::StrContains(curve, "share");
  Chart chart = {.title = absl::StrCat(dataset, ": ", curve),
                 .x_label = shares ? "percent of the series seen" : "epoch",
                 .lines = {}};
  std::vector<Line> behind;
  for (const bool aaren : {false, true}) {
    std::vector<Line> lines;
    for (const CompleteCell* run : RunsOf(cells, dataset, aaren)) {
      const auto at = run->result.curves.find(curve);
      if (at == run->result.curves.end()) continue;
      lines.push_back({.name = "", .x = Places(at->second.size(), shares), .y = at->second, .faint = true});
    }
    if (lines.empty()) continue;
    const std::vector<double> mean = MeanCurve(lines);
    chart.lines.push_back({.name = aaren ? "Aaren" : "Transformer", .x = Places(mean.size(), shares), .y = mean});
    behind.insert(behind.end(), lines.begin(), lines.end());
  }
  chart.lines.insert(chart.lines.end(), behind.begin(), behind.end());
  return chart;
}

}  // namespace

Spread SpreadOf(absl::Span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = values.size() > 1 ? std::sqrt(squares / (count - 1)) : NAN;
  return spread;
}

std::string PaperTable(absl::Span<const CompleteCell> cells) {
  return absl::StrCat(ScoreTable(cells),
                      "\nMeans over the seeds, with sample standard deviations. The cost of a run:\n\n",
                      CostTable(cells));
}

std::string PaperPage(absl::Span<const CompleteCell> cells, const std::string& command, const std::string& machine) {
  std::vector<Chart> charts;
  for (const std::string& dataset : DatasetsIn(cells)) {
    std::set<std::string> curves;
    for (const CompleteCell& one : cells) {
      if (one.cell.dataset != dataset) continue;
      for (const auto& [name, values] : one.result.curves) curves.insert(name);
    }
    for (const std::string& curve : curves) charts.push_back(ChartOf(cells, dataset, curve));
  }
  const std::string title = absl::StrCat("Aaren and the Transformer: ", cells.front().cell.task);
  return absl::StrCat("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>", title, "</title><style>",
                      kStyle, "</style></head><body>\n<h1>", title, "</h1>\n<pre>", Escaped(PaperTable(cells)),
                      "</pre>\n", DrawFigure(charts, {.columns = 2, .width = 560, .height = 250}),
                      "<h2>Command</h2>\n<pre>", Escaped(command), "</pre>\n<p>", Escaped(machine),
                      "</p></body></html>\n");
}

}  // namespace aaren::training
