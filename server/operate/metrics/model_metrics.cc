#include "server/operate/metrics/model_metrics.h"

#include <algorithm>

#include "server/operate/metrics/format/family.h"

namespace aaren::metrics {
namespace {

using Models = std::vector<models::ModelRef>;

prometheus::MetricFamily Surprises(const Models& models, const Models& tiers) {
  Family family("aaren_surprise", "Where values lay in the distributions that were forecast for them, from 0 to 1.",
                prometheus::MetricType::Histogram);
  // An unused model has its buckets, too: a series present from the start has a rate.
  static const counters::Histogram<models::kSurpriseBounds.size()> none(models::kSurpriseBounds);
  for (const models::ModelRef& model : models) {
    std::vector<const counters::Histogram<models::kSurpriseBounds.size()>*> parts = {&none};
    const auto add = [&parts](const models::ModelCounters& block) { parts.push_back(&block.surprises); };
    // All tiers of a model have the same weights: a model has a single series of surprises.
    for (const models::ModelRef& tier : tiers) {
      if (tier->id == model->id) tier->counters.ForEach(add);
    }
    SumHistograms(parts, family.AddHistogram({{"model", model->id}}));
  }
  return family.Take();
}

prometheus::MetricFamily Tokens(const Models& models) {
  Family family = Counters("aaren_model_tokens_total", "Tokens folded, by model and tier.");
  for (const models::ModelRef& model : models) {
    uint64_t tokens = 0;
    model->counters.ForEach([&tokens](const models::ModelCounters& block) { tokens += block.tokens.value(); });
    family.Add({{"model", model->id}, {"tier", model->engine->tier()}}, static_cast<double>(tokens));
  }
  return family.Take();
}

prometheus::MetricFamily Sessions(const Models& models) {
  Family family = Gauges("aaren_model_sessions", "Sessions in memory, or whose handle is, by model and tier.");
  for (const models::ModelRef& model : models) {
    family.Add({{"model", model->id}, {"tier", model->engine->tier()}}, static_cast<double>(model->sessions()));
  }
  return family.Take();
}

prometheus::MetricFamily States(const Models& models, const std::vector<models::PendingPackage>& pending) {
  const auto retiring =
      std::count_if(models.begin(), models.end(), [](const auto& model) { return !!model->retiring; });
  const auto refused =
      std::count_if(pending.begin(), pending.end(), [](const auto& package) { return !package.refusal.empty(); });
  return Gauges("aaren_models", "Packages of the models' folder, by what became of them.")
      .Add({{"state", "offered"}}, static_cast<double>(models.size()) - static_cast<double>(retiring))
      .Add({{"state", "retiring"}}, static_cast<double>(retiring))
      // A pending package is loading or refused.
      .Add({{"state", "loading"}}, static_cast<double>(pending.size()) - static_cast<double>(refused))
      .Add({{"state", "refused"}}, static_cast<double>(refused))
      .Take();
}

}  // namespace

std::vector<prometheus::MetricFamily> ModelMetrics::Collect() const {
  const Models models = models_.models();
  const Models tiers = models_.tiers();
  return {Surprises(models, tiers), Tokens(tiers), Sessions(tiers), States(models, models_.pending()),
          Counters("aaren_model_load_failures_total", "Packages and labels that were refused.")
              .Add({}, static_cast<double>(models_.failures().value()))
              .Take()};
}

}  // namespace aaren::metrics
