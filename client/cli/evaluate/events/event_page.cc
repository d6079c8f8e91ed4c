#include "client/cli/evaluate/events/event_page.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/evaluate/page/evaluation_page.h"
#include "client/cli/evaluate/page/figure.h"
#include "client/cli/evaluate/score_report.h"

namespace aaren::cli {
namespace {

constexpr double kPageWidth = 980;    // pixels: the whole page
constexpr double kBarMargin = 0.002;  // beside each bar, on an axis from 0 to 1

void AppendText(std::string& out, absl::string_view tag, absl::string_view text) {
  absl::StrAppend(&out, "<", tag, ">", EscapeXml(text), "</", tag, ">\n");
}

void AppendEventFacts(const EventScores& scores, const EventPageFacts& facts, std::string& out) {
  const auto fact = [&out](absl::string_view name, absl::string_view text) {
    absl::StrAppend(&out, "<dt>", name, "</dt><dd>", EscapeXml(text), "</dd>\n");
  };
  out += "<dl>\n";
  fact("model", scores.model);
  fact("data", absl::StrCat(facts.file, ": ", facts.series, " series, ", facts.events, " events"));
  fact("scored", absl::StrCat(scores.evaluation.events, " events, each series from its third event on"));
  absl::StrAppend(&out, "<dt>command</dt><dd><code>", EscapeXml(facts.command), "</code></dd>\n</dl>\n");
}

// A column of a table: its name, the score of a method, and the best of the scores; NaN where none is the best.
struct Column {
  const char* name;
  std::vector<double> scores;
  double best = std::numeric_limits<double>::quiet_NaN();
};

Column Least(const char* name, std::vector<double> scores) {
  const double least = *std::min_element(scores.begin(), scores.end());
  return {name, std::move(scores), least};
}

void AppendScoreTable(absl::string_view id, const std::vector<std::string>& methods, const std::vector<Column>& columns,
                      std::string& out) {
  absl::StrAppend(&out, "<div class=\"scroll\"><table id=\"", id, "\">\n<thead><tr><th>method</th>");
  for (const Column& column : columns) absl::StrAppend(&out, "<th>", column.name, "</th>");
  out += "</tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < methods.size(); ++i) {
    absl::StrAppend(&out, "<tr><th scope=\"row\">", EscapeXml(methods[i]), "</th>");
    for (const Column& column : columns) {
      const bool best = column.scores[i] == column.best;
      absl::StrAppend(&out, "<td class=\"",
                      !best    ? ""
                      : i == 0 ? "best"
                               : "better",
                      "\">", ScoreText(column.scores[i]), "</td>");
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
}

template <typename Score, typename Number>
std::vector<double> Each(const std::vector<Score>& scores, Number Score::*number) {
  std::vector<double> numbers;
  for (const Score& score : scores) numbers.push_back(score.*number);
  return numbers;
}

template <typename Score>
std::vector<std::string> Names(const std::vector<Score>& scores) {
  std::vector<std::string> names;
  for (const Score& score : scores) names.push_back(score.name);
  return names;
}

void AppendTables(const events::Evaluation& evaluation, std::string& out) {
  using events::MarkScore;
  using events::TimeScore;
  const auto& times = evaluation.times;
  const auto& marks = evaluation.marks;
  AppendText(out, "h2", "Times");
  AppendScoreTable("times", Names(times),
                   {Least("NLL", Each(times, &TimeScore::nll)),
                    Least("binned NLL", Each(times, &TimeScore::binned)),
                    Least("WQL", Each(times, &TimeScore::wql)),
                    Least("KS", Each(times, &TimeScore::ks)),
                    {"in 80 %", Each(times, &TimeScore::inside)}},
                   out);
  AppendText(
      out, "p",
      "NLL: nats per event, of the density of the interval's logarithm; the model's density is read from 39 "
      "quantiles. Binned: of the mass within the rounding of the times. WQL: pinball losses at 0.1 to 0.9, over the "
      "sum of the intervals. KS: the Kolmogorov-Smirnov distance of surprises to the uniform distribution. Bold: "
      "the least of its column.");
  AppendText(out, "h2", "Marks");
  std::vector<double> named = Each(marks, &MarkScore::accuracy);
  const double most = *std::max_element(named.begin(), named.end());
  AppendScoreTable("marks", Names(marks),
                   {Least("NLL", Each(marks, &MarkScore::nll)), {"named", std::move(named), most}}, out);
  AppendText(
      out, "p",
      absl::StrFormat("NLL: nats per event over the known marks and new ones. Named: the share of events whose mark "
                      "was the likeliest; a new mark always is a miss, and %.1f %% of the marks were new.",
                      100 * evaluation.fresh_share));
}

std::string SurpriseShareFigure(const std::vector<double>& shares) {
  Figure figure({.title = "Surprises of the model, in twenty equal parts",
                 .width = kPageWidth,
                 .x = {.label = "surprise", .include = {0, 1}},
                 .y = {.label = "share of events", .include = {0}, .percent = true, .padding = 0.04}});
  const double width = 1.0 / static_cast<double>(shares.size());
  for (size_t i = 0; i < shares.size(); ++i) {
    const double left = static_cast<double>(i) * width;
    const double x[] = {left + kBarMargin, left + width - kBarMargin}, low[] = {0, 0}, high[] = {shares[i], shares[i]};
    figure.Band(Ink::kForecast, i == 0 ? "events" : "", x, low, high);
  }
  figure.Level(Ink::kNominal, "honest", width);
  return figure.Svg();
}

std::string IntervalFigure(const SampledIntervals& sample) {
  Figure figure({.title = sample.series.empty() ? "The last intervals" : "The last intervals of " + sample.series,
                 .width = kPageWidth,
                 .x = {.label = "event"},
                 .y = {.label = "interval, s", .logarithmic = true, .padding = 0.04}});
  figure.Points(Ink::kActual, "interval that came", sample.event, sample.gap);
  figure.Line(Ink::kForecast, "median", sample.event, sample.median);
  figure.Band(Ink::kForecast, "80 % interval", sample.event, sample.low, sample.high);
  return figure.Svg();
}

}  // namespace

std::string EventPage(const EventScores& scores, const EventPageFacts& facts) {
  std::string out = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width\"/><title>Forecasts of ",
      EscapeXml(facts.file), "</title>\n<style>", kFigureStyle, kPageStyle,
      "</style></head>\n<body>\n<h1>Forecasts of events against what came</h1>\n");
  AppendEventFacts(scores, facts, out);
  AppendTables(scores.evaluation, out);
  AppendText(out, "h2", "Surprises");
  absl::StrAppend(&out, SurpriseShareFigure(scores.evaluation.times[0].surprises), "\n");
  AppendText(out, "h2", "Intervals");
  AppendText(out, "p",
             "Series in the first, the middle and the last third of the file. An interval of 0 has no place on "
             "a logarithmic axis.");
  for (const SampledIntervals& sample : scores.samples) absl::StrAppend(&out, IntervalFigure(sample), "\n");
  return absl::StrCat(out, "</body></html>\n");
}

}  // namespace aaren::cli
