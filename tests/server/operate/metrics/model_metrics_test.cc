#include "server/operate/metrics/model_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prometheus/text_serializer.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::metrics {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string TextOf(const models::ModelTable& models) {
  return prometheus::TextSerializer().Serialize(ModelMetrics(models).Collect());
}

TEST(ModelMetricsTest, NumbersOfShardsAreSummedByModel) {
  const auto models = shard::FakeModels();
  for (int shard = 0; shard < 2; ++shard) {
    models::ModelCounters& counted = models->Find("sum:2").value()->counters.Add();
    counted.surprises.Observe(0.25);
    counted.tokens.Add(5);
    counted.sessions.Add(3);
  }
  const std::string text = TextOf(*models);
  EXPECT_THAT(text, HasSubstr("aaren_surprise_count{model=\"sum:1\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("aaren_surprise_bucket{model=\"sum:2\",le=\"0.2\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("aaren_surprise_bucket{model=\"sum:2\",le=\"0.3\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("aaren_model_tokens_total{model=\"sum:2\",tier=\"exact\"} 10\n"));
  EXPECT_THAT(text, HasSubstr("aaren_model_sessions{model=\"sum:2\",tier=\"exact\"} 6\n"));
}

TEST(ModelMetricsTest, PackagesAreCountedByWhatBecameOfThem) {
  const auto models = shard::FakeModels();
  models->Retire("digest-sum-2");
  models->SetPending({{"new", ""}, {"bad", "it is bad"}, {"worse", "it is worse"}});
  models->failures().Add(2);
  const std::string text = TextOf(*models);
  EXPECT_THAT(text, HasSubstr("aaren_models{state=\"offered\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("aaren_models{state=\"retiring\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_models{state=\"loading\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_models{state=\"refused\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("aaren_model_load_failures_total 2\n"));
}

TEST(ModelMetricsTest, AModelThatIsUnloadedHasNoSeries) {
  const auto models = shard::FakeModels();
  models->Retire("digest-sum-2");
  models->Unload();
  EXPECT_THAT(TextOf(*models), Not(HasSubstr("sum:2")));
}

}  // namespace
}  // namespace aaren::metrics
