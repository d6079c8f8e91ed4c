#include "client/cli/evaluate/page/evaluation_page.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/cli/evaluate/page/evaluation_figures.h"
#include "client/cli/evaluate/page/figure.h"

namespace aaren::cli {

const absl::string_view kPageStyle = R"css(
body { margin: 2rem auto; max-width: 1000px; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: .95rem; margin: 1.2rem 0 .2rem; }
p { max-width: 75ch; margin: .3rem 0 .8rem; } .faint, dt { color: var(--faint); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .88rem; } dd { margin: 0; }
code { font: 12.5px ui-monospace, monospace; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .18rem .7rem; white-space: nowrap; font-weight: normal; }
tr > :first-child { text-align: left; padding-left: 0; }
thead th { color: var(--faint); } thead tr:first-child th { text-align: center; color: var(--c, var(--ink)); }
thead tr:last-child { border-bottom: 1px solid var(--axis); } tbody tr { border-bottom: 1px solid var(--rule); }
tfoot tr:first-child { border-top: 1px solid var(--axis); } td.best { font-weight: 700; color: var(--forecast); } td.better { font-weight: 700; }
td.group, th.group { padding-left: 1.6rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(400px, 1fr)); gap: 12px; }
.trio { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 12px; }
)css";

namespace {

constexpr size_t kSamples = 3;
// Bounds the length of the page for files of many series.
constexpr size_t kMostSeriesDrawn = 8;
constexpr size_t kMostSeriesRanked = 24;

void Append(std::string& out, absl::string_view tag, absl::string_view text) {
  absl::StrAppend(&out, "<", tag, ">", EscapeXml(text), "</", tag, ">\n");
}

std::string Percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }

std::string Against(const ScoreLine& ours, const ScoreLine& other, absl::string_view name) {
  const double change = 100 * (ours.mase / other.mase - 1);
  return absl::StrFormat("%.0f %% %s the %s forecast's %s", std::abs(change), change < 0 ? "below" : "above", name,
                         ScoreText(other.mase));
}

void AppendSummary(const ScoreRow& mean, std::string& out) {
  if (std::isnan(mean.forecast.mase)) return;
  std::vector<std::string> comparisons;
  for (const Forecaster& naive : absl::MakeConstSpan(kForecasters).subspan(kNaive)) {
    comparisons.push_back(Against(mean.forecast, mean.*naive.line, naive.name));
  }
  std::string text =
      absl::StrCat("MASE ", ScoreText(mean.forecast.mase), " on average: ", absl::StrJoin(comparisons, ", "), ".");
  if (!std::isnan(mean.forecast.coverage)) {
    absl::StrAppend(&text, " ", Percent(mean.forecast.coverage), " of the values fell inside the ",
                    IntervalText(mean.interval), " interval.");
  }
  Append(out, "p", text);
}

std::string Origins(const SeriesScores& scores) {
  const ScoredWindow &first = scores.windows.front(), &last = scores.windows.back();
  std::string text = absl::StrCat(scores.windows.size(), " per series, rows ", first.origin, " to ", last.origin);
  // An age equal to the origin: the session has seen every row.
  if (first.age == first.origin) return absl::StrCat(text, ", each session begun at row 0");
  return absl::StrCat(text, ", each with a session begun ", first.age, " rows before");
}

void AppendFacts(const std::vector<EvaluatedSeries>& series, const SeriesScores& scores, const EvaluationFacts& facts,
                 std::string& out) {
  const auto fact = [&out](absl::string_view name, absl::string_view text) {
    absl::StrAppend(&out, "<dt>", name, "</dt><dd>", EscapeXml(text), "</dd>\n");
  };
  out += "<dl>\n";
  fact("model", scores.model);
  fact("data", absl::StrCat(absl::StrJoin(facts.files, ", "), ": ", series.size(), " series of ",
                            series[0].values.size(), " rows"));
  fact("horizon, season", absl::StrCat(facts.horizon, " rows ahead, ", facts.season, " rows"));
  fact("origins", Origins(scores));
  absl::StrAppend(&out, "<dt>command</dt><dd><code>", EscapeXml(facts.command), "</code></dd>\n</dl>\n");
}

// The cells of a forecaster's score, marked where the score is the least of the row.
void AppendScore(const ScoreRow& row, double ScoreLine::*score, const Forecaster& forecaster, absl::string_view group,
                 std::string& out) {
  double least = (row.*kForecasters[0].line).*score;
  for (const Forecaster& one : kForecasters) least = std::fmin(least, (row.*one.line).*score);
  const double value = (row.*forecaster.line).*score;
  // The forecast's own score is marked in its colour, a better naive score in bold type only.
  const absl::string_view mark = value != least ? "" : &forecaster == &kForecasters[0] ? " best" : " better";
  absl::StrAppend(&out, "<td class=\"", group, mark, "\">", ScoreText(value), "</td>");
}

void AppendRow(const ScoreRow& row, std::string& out) {
  absl::StrAppend(&out, "<tr><th scope=\"row\">", EscapeXml(row.series), "</th>");
  for (const Forecaster& forecaster : kForecasters) {
    AppendScore(row, &ScoreLine::mase, forecaster, "group", out);
    AppendScore(row, &ScoreLine::wql, forecaster, "wql", out);
    if (&forecaster == &kForecasters[0]) absl::StrAppend(&out, "<td>", ScoreText(row.forecast.coverage), "</td>");
  }
  absl::StrAppend(&out, "<td class=\"group\">", row.windows, "</td></tr>\n");
}

void AppendTable(const std::vector<ScoreRow>& rows, size_t series, std::string& out) {
  constexpr absl::string_view kInks[] = {"forecast", "last", "seasonal", "drift"};
  std::string groups = "<th></th>", columns = "<th>series</th>";
  for (size_t f = 0; f < std::size(kForecasters); ++f) {
    absl::StrAppend(&groups, "<th colspan=\"", f == 0 ? 3 : 2, "\" class=\"", kInks[f], "\">", kForecasters[f].name,
                    "</th>");
    absl::StrAppend(&columns, "<th>MASE</th><th>WQL</th>",
                    f == 0 ? absl::StrCat("<th>in ", IntervalText(rows.back().interval), "</th>") : "");
  }
  absl::StrAppend(&out, "<div class=\"scroll\"><table id=\"scores\">\n<thead><tr>", groups, "<th></th></tr>\n<tr>",
                  columns, "<th>windows</th></tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < series; ++i) AppendRow(rows[i], out);
  out += "</tbody>\n<tfoot>\n";
  // The rows behind the series are means, and stand in the table's foot.
  for (size_t i = series; i < rows.size(); ++i) AppendRow(rows[i], out);
  out += "</tfoot></table></div>\n";
  Append(
      out, "p",
      "MASE: mean absolute error of the median, over the mean change from one season to the next in all rows before "
      "the window. WQL: pinball losses at all levels, over the sum of the values' magnitudes. Bold: the least of its "
      "row. One window: what evaluations of a single window each score on average.");
}

void AppendCalibrationTable(const std::vector<ScoreRow>& rows, std::string& out) {
  const std::vector<std::string> names = CalibrationNames(rows.back());
  const size_t steps = names.size() - kSurpriseColumns;
  const auto cells = [&](absl::string_view tag, const std::vector<std::string>& texts) {
    for (size_t i = 0; i < texts.size(); ++i) {
      absl::StrAppend(&out, "<", tag, i == steps ? " class=\"group\">" : ">", texts[i], "</", tag, ">");
    }
  };
  absl::StrAppend(&out, "<div class=\"scroll\"><table id=\"calibration\">\n<thead><tr><th></th><th colspan=\"", steps,
                  "\">in ", IntervalText(rows.back().interval), "</th><th colspan=\"", kSurpriseColumns,
                  "\">surprise</th></tr>\n<tr><th>series</th>");
  cells("th", names);
  out += "</tr></thead>\n<tbody>\n";
  for (const ScoreRow& row : rows) {
    // The row "one window" has no calibration.
    if (row.coverage_by_step.empty()) continue;
    if (&row == &rows.back()) out += "</tbody>\n<tfoot>\n";
    absl::StrAppend(&out, "<tr><th scope=\"row\">", EscapeXml(row.series), "</th>");
    cells("td", CalibrationCells(row));
    out += "</tr>\n";
  }
  out += "</tfoot></table></div>\n";
  Append(out, "p",
         "Ahead: the share of values inside the interval so many rows ahead. KS: the Kolmogorov-Smirnov distance "
         "of surprises to the uniform distribution, which honest forecasts give them; the mean is that of the series. "
         "Alerts: their share below 0.005 or above 0.995, nominally 0.01.");
}

void AppendLevelTable(const ScoreRow& mean, std::string& out) {
  out += "<div class=\"scroll\"><table id=\"levels\">\n<thead><tr>";
  for (const absl::string_view name : kLevelNames) absl::StrAppend(&out, "<th>", name, "</th>");
  out += "</tr></thead>\n<tbody>\n";
  for (const LevelScore& level : mean.levels) {
    absl::StrAppend(&out, "<tr><th scope=\"row\">", absl::StrJoin(LevelCells(level), "</th><td>"), "</td></tr>\n");
  }
  out += "</tbody></table></div>\n";
  Append(out, "p",
         "By level, over all series. Below: the share of values at or below the quantile, which an honest forecast "
         "makes equal to the level. Inside: the share from the quantile as far below the median to this quantile.");
}

void AppendCovariateTable(const std::vector<ScoreRow>& rows, std::string& out) {
  out += "<div class=\"scroll\"><table id=\"covariates\">\n<thead><tr><th>covariates</th>";
  for (const absl::string_view name : kCovariateNames) absl::StrAppend(&out, "<th>", name, "</th>");
  out += "</tr></thead>\n<tbody>\n";
  for (const ScoreRow& row : rows) {
    if (!row.without_covariates) continue;
    absl::StrAppend(&out, "<tr><th scope=\"row\">", EscapeXml(row.series), "</th><td>",
                    absl::StrJoin(CovariateCells(row), "</td><td>"), "</td></tr>\n");
  }
  out += "</tbody></table></div>\n";
  Append(out, "p",
         "Covariates: the same origins, forecast by sessions with covariates and by sessions without. What is known in "
         "advance was taken from the rows ahead: a weather forecast would be less right.");
}

// The series to draw: all, or from the worst to the best in even steps.
std::vector<size_t> Drawn(const std::vector<ScoreRow>& rows, size_t series) {
  std::vector<size_t> order(series);
  std::iota(order.begin(), order.end(), size_t{0});
  if (series <= kMostSeriesDrawn) return order;
  // Series without a MASE come last.
  const auto error = [&](size_t i) { return std::isnan(rows[i].forecast.mase) ? -1 : rows[i].forecast.mase; };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return error(a) > error(b); });
  std::vector<size_t> drawn;
  for (size_t i = 0; i < kMostSeriesDrawn; ++i) drawn.push_back(order[i * (series - 1) / (kMostSeriesDrawn - 1)]);
  return drawn;
}

void AppendForecasts(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores,
                     const std::vector<ScoreRow>& rows, size_t horizon, std::string& out) {
  const std::vector<size_t> drawn = Drawn(rows, series.size());
  Append(out, "h2", "Forecasts");
  const std::string which = drawn.size() == series.size() ? "Every series"
                                                          : absl::StrCat(drawn.size(), " of ", series.size(),
                                                                         " series, from the worst to the best,");
  Append(out, "p", absl::StrCat(which, " at origins in the first, the middle and the last third of those scored."));
  out += ForecastLegend(rows.back().interval);
  for (size_t i : drawn) {
    Append(out, "h3", series[i].name);
    out += "<div class=\"trio\">\n";
    for (size_t k = 0; k < scores[i].samples.size(); ++k) {
      absl::StrAppend(&out, ForecastFigure(series[i], scores[i], k, horizon), "\n");
    }
    out += "</div>\n";
  }
}

std::string SurpriseCaption(const std::vector<double>& surprises, const ScoreRow& mean) {
  const SurpriseScore all = ScoreSurprises(surprises);
  return absl::StrCat("Surprise: ", all.values,
                      " values, each the row after an origin. Their Kolmogorov-Smirnov distance to uniform is ",
                      ScoreText(all.ks), " (", ScoreText(mean.surprise.ks),
                      " for a series by itself, on average), and ", absl::StrFormat("%.2f %%", 100 * all.alerts),
                      " of them raise an alert at a nominal false-alarm rate of 1 %.");
}

void AppendFigures(const std::vector<SeriesScores>& scores, const std::vector<ScoreRow>& rows, std::string& out) {
  Append(out, "h2", "Where it is right, and where not");
  const std::string age = AgeFigure(scores);
  out += "<div class=\"pair\">\n";
  if (!std::isnan(rows.back().forecast.coverage)) absl::StrAppend(&out, CoverageFigure(scores), "\n");
  const std::vector<double> surprises = AllSurprises(scores);
  if (!surprises.empty()) absl::StrAppend(&out, SurpriseFigure(surprises), "\n");
  absl::StrAppend(&out, age, "</div>\n");
  if (!surprises.empty()) Append(out, "p", SurpriseCaption(surprises, rows.back()));
  Append(out, "p",
         age.empty()
             ? "All sessions were equally old, so there is no error by age."
             : "By age: each point is the mean over the windows of all series in one of up to eight spans of "
               "equally many origins. Windows of another age are other windows: the naive forecasts tell how hard "
               "they were.");
  const std::vector<ScoreRow> series(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(scores.size()));
  // Without a MASE no series is worse than the rest.
  if (std::isnan(rows.back().forecast.mase)) return;
  absl::StrAppend(&out, WorstSeriesFigure(series, kMostSeriesRanked), "\n");
  if (series.size() > kMostSeriesRanked) {
    Append(out, "p", absl::StrCat("The worst ", kMostSeriesRanked, " of ", series.size(), " series."));
  }
}

}  // namespace

std::vector<size_t> SampleOrigins(const std::vector<size_t>& origins) {
  const size_t count = std::min(kSamples, origins.size());
  std::vector<size_t> samples;
  // The middle of each third.
  for (size_t i = 0; i < count; ++i) samples.push_back(origins[(2 * i + 1) * origins.size() / (2 * count)]);
  return samples;
}

std::string EvaluationPage(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores,
                           const std::vector<ScoreRow>& rows, const EvaluationFacts& facts) {
  std::string out = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width\"/><title>Forecasts of ",
      EscapeXml(absl::StrJoin(facts.files, ", ")), "</title>\n<style>", kFigureStyle, kPageStyle,
      "</style></head>\n<body>\n<h1>Forecasts against what came</h1>\n");
  AppendSummary(rows.back(), out);
  AppendFacts(series, scores[0], facts, out);
  Append(out, "h2", "Scores");
  AppendTable(rows, series.size(), out);
  AppendCalibrationTable(rows, out);
  if (facts.levels) AppendLevelTable(rows.back(), out);
  if (rows.back().without_covariates) AppendCovariateTable(rows, out);
  AppendFigures(scores, rows, out);
  AppendForecasts(series, scores, rows, facts.horizon, out);
  return absl::StrCat(out, "</body></html>\n");
}

}  // namespace aaren::cli
