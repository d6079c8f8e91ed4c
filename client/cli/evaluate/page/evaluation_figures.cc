#include "client/cli/evaluate/page/evaluation_figures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/evaluate/mean.h"
#include "client/cli/evaluate/page/figure.h"

namespace aaren::cli {
namespace {

constexpr double kWide = 488;  // pixels: two side by side on the page
constexpr double kNarrow = 322;
constexpr size_t kMostPoints = 30;  // a longer line carries no points
constexpr size_t kMostBins = 8;
constexpr double kLogarithmicFrom = 8;  // ages with at least this ratio get a logarithmic axis
constexpr size_t kPastPerStep = 4;      // rows of the past for each row ahead
constexpr size_t kBars = 10;
constexpr double kBarGap = 0.004;  // beside each bar, on an axis from 0 to 1

constexpr Ink kInks[] = {Ink::kForecast, Ink::kLastValue, Ink::kSeasonalNaive, Ink::kDrift};  // in kForecasters' order

std::vector<double> CountFrom(double first, size_t count) {
  std::vector<double> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(first + static_cast<double>(i));
  return numbers;
}

const WindowScore* FindWindow(const SeriesScores& scores, size_t origin) {
  for (const ScoredWindow& window : scores.windows) {
    if (window.origin == origin) return &window.forecast;
  }
  return nullptr;
}

void AddForecast(const SeriesScores& scores, size_t k, size_t horizon, Figure& figure) {
  const std::vector<float>& quantiles = scores.samples[k].quantiles;
  const auto nearest = [&](double level) {
    const auto nearer = [&](double a, double b) { return std::abs(a - level) < std::abs(b - level); };
    return static_cast<size_t>(std::min_element(scores.levels.begin(), scores.levels.end(), nearer) -
                               scores.levels.begin());
  };
  const double interval = scores.forecast.interval();
  std::vector<double> low, median, high;
  for (size_t h = 0; h < horizon; ++h) {
    const float* step = quantiles.data() + h * scores.levels.size();
    low.push_back(step[nearest(0.5 - interval / 2)]);
    median.push_back(step[nearest(0.5)]);
    high.push_back(step[nearest(0.5 + interval / 2)]);
  }
  const std::vector<double> ahead = CountFrom(0, horizon);
  // A single level, or levels on one side only, make no interval.
  if (!std::isnan(interval))
    figure.Band(Ink::kForecast, absl::StrCat(IntervalText(interval), " interval"), ahead, low, high);
  figure.Line(Ink::kForecast, "median", ahead, median);
}

}  // namespace

std::vector<AgeBin> AgeBins(const std::vector<SeriesScores>& scores, size_t most) {
  std::set<uint64_t> distinct;
  for (const SeriesScores& series : scores) {
    for (const ScoredWindow& window : series.windows) distinct.insert(window.age);
  }
  const std::vector<uint64_t> ages(distinct.begin(), distinct.end());
  const size_t count = std::min(most, ages.size());
  std::vector<AgeBin> bins;
  for (size_t i = 0; i < count; ++i) {
    // Bins are cut by rank, so each has about as many distinct ages.
    const uint64_t first = ages[i * ages.size() / count], last = ages[(i + 1) * ages.size() / count - 1];
    std::vector<Mean> mase(std::size(kForecasters));
    Mean age;
    for (const SeriesScores& series : scores) {
      for (const ScoredWindow& window : series.windows) {
        if (window.age < first || window.age > last) continue;
        age.Add(static_cast<double>(window.age));
        for (size_t f = 0; f < mase.size(); ++f) mase[f].Add((window.*kForecasters[f].window).mase);
      }
    }
    bins.push_back({.age = age.value()});
    for (const Mean& one : mase) bins.back().mase.push_back(one.value());
  }
  return bins;
}

std::string CoverageFigure(const std::vector<SeriesScores>& scores) {
  const double interval = scores[0].forecast.interval();
  const std::vector<double> all = CoverageByStep(Pooled(scores, &SeriesScores::forecast));
  std::vector<double> low = all, high = all;
  for (const SeriesScores& series : scores) {
    const std::vector<double> one = CoverageByStep(series.forecast);
    for (size_t step = 0; step < one.size(); ++step) {
      // fmin and fmax pass over NaN, the coverage of a step without values.
      low[step] = std::fmin(low[step], one[step]);
      high[step] = std::fmax(high[step], one[step]);
    }
  }
  Figure figure({.title = absl::StrCat("Coverage of the ", IntervalText(interval), " interval by rows ahead"),
                 .width = kWide,
                 .x = {.label = "rows ahead", .include = {1}},
                 .y = {.label = "values inside",
                       .include = {interval - 0.1, std::min(1.0, interval + 0.1)},
                       .percent = true,
                       .padding = 0.04}});
  const std::vector<double> ahead = CountFrom(1, all.size());
  // A single series has no spread.
  if (scores.size() > 1) figure.Band(Ink::kForecast, "lowest to highest series", ahead, low, high);
  figure.Level(Ink::kNominal, "nominal", interval);
  figure.Line(Ink::kForecast, "all series", ahead, all);
  if (all.size() <= kMostPoints) figure.Points(Ink::kForecast, "", ahead, all);
  return figure.Svg();
}

std::vector<double> AllSurprises(const std::vector<SeriesScores>& scores) {
  std::vector<double> all;
  for (const SeriesScores& series : scores) {
    std::copy_if(series.surprises.begin(), series.surprises.end(), std::back_inserter(all),
                 [](double surprise) { return !std::isnan(surprise); });
  }
  return all;
}

std::string SurpriseFigure(const std::vector<double>& surprises) {
  std::vector<double> bars(kBars);
  for (double surprise : surprises) {
    const size_t bar = static_cast<size_t>(surprise * static_cast<double>(kBars));
    // A surprise of 1 belongs to the last bar.
    bars[std::min(bar, kBars - 1)] += 1.0 / static_cast<double>(surprises.size());
  }
  Figure figure({.title = "Surprise: where values fell in their one-step forecasts",
                 .width = kWide,
                 .x = {.label = "surprise, 0.5 is the median", .include = {0, 1}},
                 .y = {.label = "values", .include = {0, 0.125}, .percent = true}});
  for (size_t i = 0; i < kBars; ++i) {
    const double from = static_cast<double>(i) / kBars, to = static_cast<double>(i + 1) / kBars;
    figure.Band(Ink::kForecast, i == 0 ? "all series" : "", {from + kBarGap, to - kBarGap}, {0, 0}, {bars[i], bars[i]});
  }
  figure.Level(Ink::kNominal, "nominal", 1.0 / static_cast<double>(kBars));
  return figure.Svg();
}

std::string AgeFigure(const std::vector<SeriesScores>& scores) {
  const std::vector<AgeBin> bins = AgeBins(scores, kMostBins);
  // A single age has no trend to show.
  if (bins.size() < 2) return "";
  std::vector<double> ages;
  for (const AgeBin& bin : bins) ages.push_back(bin.age);
  const bool logarithmic = ages.back() >= kLogarithmicFrom * ages.front();
  Figure figure({.title = "Error by age of the session",
                 .width = kWide,
                 .x = {.label = "tokens seen before the origin", .logarithmic = logarithmic, .padding = 0.03},
                 .y = {.label = "MASE", .include = {0}, .padding = 0.02}});
  for (size_t f = 0; f < std::size(kForecasters); ++f) {
    std::vector<double> mase;
    for (const AgeBin& bin : bins) mase.push_back(bin.mase[f]);
    figure.Line(kInks[f], "", ages, mase);
    figure.Points(kInks[f], kForecasters[f].name, ages, mase);
  }
  return figure.Svg();
}

std::string WorstSeriesFigure(const std::vector<ScoreRow>& series_rows, size_t most) {
  std::vector<ScoreRow> rows;
  for (const ScoreRow& row : series_rows) {
    if (!std::isnan(row.forecast.mase)) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ScoreRow& a, const ScoreRow& b) { return a.forecast.mase > b.forecast.mase; });
  // The worst series come first, and the rest is left out.
  rows.resize(std::min(rows.size(), most));
  std::reverse(rows.begin(), rows.end());  // the axis counts from the bottom
  AxisOptions names;
  for (const ScoreRow& row : rows) names.names.push_back(row.series);
  Figure figure({.title = "MASE by series, the worst first",
                 .width = 2 * kWide + 12,
                 .height = 70 + 20 * static_cast<double>(rows.size()),
                 .x = {.label = "MASE", .include = {0}, .padding = 0.02},
                 .y = std::move(names)});
  for (size_t f = 0; f < std::size(kForecasters); ++f) {
    std::vector<double> mase;
    for (const ScoreRow& row : rows) mase.push_back((row.*kForecasters[f].line).mase);
    figure.Points(kInks[f], kForecasters[f].name, mase, CountFrom(0, rows.size()));
  }
  return figure.Svg();
}

std::string ForecastFigure(const EvaluatedSeries& series, const SeriesScores& scores, size_t k, size_t horizon) {
  const size_t origin = scores.samples[k].origin;
  const size_t past = std::min(origin, kPastPerStep * horizon);
  const WindowScore* window = FindWindow(scores, origin);
  // A file without times has numbers of rows only.
  const std::string when = series.sample_times.empty() ? absl::StrCat("row ", origin) : series.sample_times[k];
  const std::string error =
      window == nullptr || std::isnan(window->mase) ? "" : absl::StrCat(" · MASE ", ScoreText(window->mase));
  Figure figure({.title = absl::StrCat(when, error),
                 .width = kNarrow,
                 .height = 190,
                 .x = {.label = "rows from the origin"},
                 .y = {.padding = 0.06},
                 .legend = false});
  AddForecast(scores, k, horizon, figure);
  const auto begin = series.values.begin() + static_cast<ptrdiff_t>(origin - past);
  const std::vector<double> values(begin, begin + static_cast<ptrdiff_t>(past + horizon));
  figure.Line(Ink::kActual, "actual", CountFrom(-static_cast<double>(past), values.size()), values);
  figure.Mark(Ink::kNominal, "origin", 0);
  return figure.Svg();
}

std::string ForecastLegend(double interval) {
  Figure figure({.title = "", .width = 2 * kWide});
  figure.Line(Ink::kActual, "actual", {}, {});
  figure.Line(Ink::kForecast, "forecast, median", {}, {});
  figure.Band(Ink::kForecast, absl::StrCat(IntervalText(interval), " interval"), {}, {}, {});
  figure.Mark(Ink::kNominal, "origin: nothing to the right of it was known", 0);
  return figure.LegendSvg();
}

}  // namespace aaren::cli
