#include "server/metrics/store_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prometheus/text_serializer.h"

namespace aaren::metrics {
namespace {

using testing::HasSubstr;

TEST(StoreMetricsTest, EachOperationHasItsCallsAndItsHistogram) {
  StoreCounters counters;
  counters.operations[2].done.Add(3);
  counters.operations[2].seconds.Observe(60e-6, 3);
  counters.operations[4].under_way.Set(2);
  counters.saved_bytes.Add(8192);
  const std::string text = prometheus::TextSerializer().Serialize(StoreMetrics("rocksdb", counters).Collect());
  EXPECT_THAT(text, HasSubstr("aaren_store_calls_total{store=\"rocksdb\",operation=\"load\",outcome=\"done\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_store_calls{store=\"rocksdb\",operation=\"save\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("aaren_store_seconds_count{store=\"rocksdb\",operation=\"load\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_store_seconds_count{store=\"rocksdb\",operation=\"save\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("aaren_store_saved_bytes_total{store=\"rocksdb\"} 8192\n"));
}

}  // namespace
}  // namespace aaren::metrics
