#include "server/operate/metrics/store_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prometheus/text_serializer.h"
#include "server/store/memory_store.h"
#include "tests/server/store/blocking.h"

namespace aaren::metrics {
namespace {

using testing::HasSubstr;

TEST(StoreMetricsTest, EachOperationHasItsCallsAndItsHistogram) {
  store::MeasuredStore store(std::make_unique<store::MemoryStore>());
  store::BlockingStore blocking(store);
  for (const char* key : {"/a", "/b", "/c"}) (void)blocking.Load(key);
  store::SaveWrite write;
  write.header.epoch = 1;  // the epoch of a missing session
  write.save.rows = std::string(8192, 'x');
  (void)blocking.Save(std::move(write));
  const store::StoreHealth health;
  const std::string text = prometheus::TextSerializer().Serialize(StoreMetrics(store, health).Collect());
  EXPECT_THAT(text, HasSubstr("aaren_store_calls_total{store=\"memory\",operation=\"load\",outcome=\"done\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_store_calls{store=\"memory\",operation=\"save\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("aaren_store_seconds_count{store=\"memory\",operation=\"load\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_store_seconds_count{store=\"memory\",operation=\"list\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("aaren_store_saved_bytes_total{store=\"memory\"} 8192\n"));
}

TEST(StoreMetricsTest, AStoreIsAwayFromAFailureOnUntilAWriteIsDone) {
  const store::MeasuredStore store(std::make_unique<store::MemoryStore>());
  const auto text = [&store](const store::StoreHealth& health) {
    return prometheus::TextSerializer().Serialize(StoreMetrics(store, health).Collect());
  };
  store::StoreHealth health;
  EXPECT_THAT(text(health), HasSubstr("aaren_store_available{store=\"memory\"} 1\n"));
  health.Note(absl::UnavailableError("away"), absl::FromUnixSeconds(7));
  health.Note(absl::StatusOr<uint64_t>(7), absl::FromUnixSeconds(8));  // a read
  EXPECT_THAT(text(health), HasSubstr("aaren_store_available{store=\"memory\"} 0\n"));
  EXPECT_EQ(health.AwayFor(absl::FromUnixSeconds(9)), absl::Seconds(2));
  health.Note(absl::OkStatus(), absl::FromUnixSeconds(10));
  EXPECT_THAT(text(health), HasSubstr("aaren_store_available{store=\"memory\"} 1\n"));
  EXPECT_THAT(text(health), HasSubstr("aaren_store_outages_total{store=\"memory\"} 1\n"));
}

}  // namespace
}  // namespace aaren::metrics
