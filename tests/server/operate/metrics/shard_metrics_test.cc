#include "server/operate/metrics/shard_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prometheus/text_serializer.h"

namespace aaren::metrics {
namespace {

using testing::HasSubstr;

class ShardMetricsTest : public testing::Test {
 protected:
  std::string Text() const {
    const ShardMetrics metrics({&shards_[0], &shards_[1]}, {&streams_[0], &streams_[1]}, options_,
                               [] { return size_t{700}; });
    return prometheus::TextSerializer().Serialize(metrics.Collect());
  }

  shard::ShardCounters shards_[2];
  rpc::StreamCounters streams_[2];
  rpc::ServerOptions options_;
};

TEST_F(ShardMetricsTest, CountersAreSummedOverShards) {
  shards_[0].tokens_forecast.Add(3);
  shards_[1].tokens_forecast.Add(4);
  shards_[1].tokens_dropped.Add(1);
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("aaren_tokens_total{outcome=\"forecast\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("aaren_tokens_total{outcome=\"dropped\"} 1\n"));
}

TEST_F(ShardMetricsTest, HistogramsAreCumulativeAndSummed) {
  shards_[0].queue_seconds.Observe(60e-6, 2);
  shards_[1].queue_seconds.Observe(10);
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("aaren_queue_seconds_bucket{le=\"5e-05\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("aaren_queue_seconds_bucket{le=\"0.0001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("aaren_queue_seconds_bucket{le=\"5\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("aaren_queue_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_queue_seconds_count 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_queue_seconds_sum 10.00012\n"));
}

TEST_F(ShardMetricsTest, LevelsAreSplitByState) {
  shards_[0].sessions_resident.Set(5);
  shards_[0].sessions_attached.Set(2);
  shards_[1].sessions_demoted.Set(9);
  shards_[1].slots_capacity.Set(100);
  shards_[1].slots_used.Set(30);
  streams_[0].opened.Add(4);
  streams_[0].closed.Add(1);
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("aaren_sessions{state=\"attached\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("aaren_sessions{state=\"detached\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_sessions{state=\"demoted\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("aaren_slots{state=\"free\"} 70\n"));
  EXPECT_THAT(text, HasSubstr("aaren_streams 3\n"));
}

TEST_F(ShardMetricsTest, EndedStreamsAreSplitByLimit) {
  streams_[0].strangers.Add(5);
  streams_[1].refused.Add(2);
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("aaren_streams_ended_total{limit=\"caller\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("aaren_streams_ended_total{limit=\"count\"} 2\n"));
}

TEST_F(ShardMetricsTest, HeldBytesStandBesideTheirLimits) {
  memory::MemoryBudget budget(1000);
  budget.TryTake(memory::MemoryBudget::Use::kSaves, 7);
  options_.shard.ties.budget = &budget;
  options_.shard.max_queued_bytes = 50;
  shards_[1].queued_bytes.Set(9);
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("aaren_held_bytes{use=\"waiting_tokens\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("aaren_held_limit_bytes{use=\"waiting_tokens\"} 100\n"));
  EXPECT_THAT(text, HasSubstr("aaren_held_bytes{use=\"saves\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("aaren_held_limit_bytes{use=\"saves\"} 1000\n"));
  EXPECT_THAT(text, HasSubstr("aaren_held_bytes{use=\"rows_on_their_way\"} 700\n"));
}

}  // namespace
}  // namespace aaren::metrics
