#include "server/operate/metrics/watched_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prometheus/text_serializer.h"

namespace aaren::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WatchedMetricsTest : public testing::Test {
 protected:
  std::string Text() { return prometheus::TextSerializer().Serialize(WatchedMetrics(watched_).Collect()); }
  void Watch(const std::string& key) {
    ASSERT_TRUE(watched_.Watch(key, absl::UnixEpoch(), absl::InfiniteFuture()).ok());
  }

  watch::WatchedSessions watched_;
};

TEST_F(WatchedMetricsTest, ThereIsNoSeriesWhileNoneIsWatched) { EXPECT_THAT(Text(), Not(HasSubstr("session="))); }

TEST_F(WatchedMetricsTest, OneThatHasNoTokenYetIsThere) {
  Watch("acme/a");
  EXPECT_THAT(Text(), HasSubstr("aaren_watched_tokens_total{tenant=\"acme\",session=\"a\"} 0\n"));
}

TEST_F(WatchedMetricsTest, NumbersAreToldByChannel) {
  Watch("acme/a/b");
  watched_.Note("acme/a/b", {{.seq = 4, .channel = 0, .value = 7, .surprise = 0.5f, .next = {1, 2, 3}},
                             {.seq = 4, .channel = 1, .value = 8},
                             {.seq = 5, .channel = 0, .value = 4}});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("aaren_watched_tokens_total{tenant=\"acme\",session=\"a/b\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("aaren_watched_next_seq{tenant=\"acme\",session=\"a/b\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("aaren_watched_value{tenant=\"acme\",session=\"a/b\",channel=\"1\"} 8\n"));
  EXPECT_THAT(text, HasSubstr("aaren_watched_outside_total{tenant=\"acme\",session=\"a/b\",channel=\"0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_watched_error_total{tenant=\"acme\",session=\"a/b\",channel=\"0\"} 2\n"));
  EXPECT_THAT(text,
              HasSubstr("aaren_watched_last_value_error_total{tenant=\"acme\",session=\"a/b\",channel=\"0\"} 3\n"));
}

TEST_F(WatchedMetricsTest, WhatIsNotKnownIsLeftOut) {
  Watch("acme/a");
  watched_.Note("acme/a", {{.seq = 0, .channel = 0, .value = 1}});
  EXPECT_THAT(Text(), Not(HasSubstr("aaren_watched_forecast{")));
  EXPECT_THAT(Text(), Not(HasSubstr("aaren_watched_surprise{")));
}

}  // namespace
}  // namespace aaren::metrics
