#include "model/tasks/forecasting/families/family.h"

#include <algorithm>
#include <iterator>

#include "model/tasks/forecasting/families/draws.h"

namespace aaren::forecasting {
namespace {

constexpr Family kFamilies[] = {
    {.name = "trend", .draw = DrawTrend, .reversible = true},
    {.name = "trend-and-season", .draw = DrawTrendAndSeason, .reversible = true},
    {.name = "gaussian-process", .draw = DrawGaussianProcess, .reversible = true},
    {.name = "clean-season", .draw = DrawCleanSeason, .reversible = true},
    {.name = "clean-days", .draw = DrawCleanDays},
    {.name = "traffic", .draw = DrawTraffic},
    {.name = "electricity", .draw = DrawElectricity},
    {.name = "solar", .draw = DrawSolar},
    {.name = "parking", .draw = DrawParking},
    {.name = "bicycles", .draw = DrawBicycles},
    {.name = "counts", .draw = DrawCounts},
    {.name = "intermittent", .draw = DrawIntermittent},
    {.name = "temperature", .draw = DrawTemperature},
    {.name = "weather", .draw = DrawWeather},
    {.name = "sarima", .draw = DrawSarima},
    {.name = "smoothing", .draw = DrawSmoothing, .reversible = true},
    {.name = "ornstein-uhlenbeck", .draw = DrawOrnsteinUhlenbeck, .reversible = true},
    {.name = "steps", .draw = DrawSteps, .reversible = true},
    {.name = "walk", .draw = DrawWalk, .reversible = true},
    {.name = "volume", .draw = DrawVolume},
    {.name = "sawtooth", .draw = DrawSawtooth, .reversible = true},
    {.name = "machines", .draw = DrawMachines},
    {.name = "jobs", .draw = DrawJobs},
    {.name = "daily", .draw = DrawDaily},
};

}  // namespace

absl::Span<const Family> Families() { return kFamilies; }

const Family* FindFamily(absl::string_view name) {
  const auto* found =
      std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& one) { return one.name == name; });
  return found == std::end(kFamilies) ? nullptr : found;
}

}  // namespace aaren::forecasting
