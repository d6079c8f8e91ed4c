#include "server/operate/log/log_rate.h"

#include <gtest/gtest.h>

#include <optional>

namespace aaren::log {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(LogRateTest, LinesOfAnEventBeyondASecondsNumberAreLeftOutAndCounted) {
  LogRate rate;
  for (uint64_t i = 0; i < LogRate::kLinesASecond; ++i) EXPECT_EQ(rate.Admit("refused", kSecond), 0u);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(rate.Admit("refused", 2 * kSecond - 1), std::nullopt);
  EXPECT_EQ(rate.Admit("refused", 2 * kSecond), 7u);
  EXPECT_EQ(rate.Admit("refused", 3 * kSecond), 0u);
}

TEST(LogRateTest, EventsDoNotCountAgainstOneAnother) {
  LogRate rate;
  for (uint64_t i = 0; i <= LogRate::kLinesASecond; ++i) (void)rate.Admit("refused", 0);
  EXPECT_EQ(rate.Admit("ended", 0), 0u);
}

}  // namespace
}  // namespace aaren::log
