#include "server/operate/trace/span_buffer.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/wall_clock/wall_clock.h"

namespace aaren::trace {
namespace {

TEST(SpanBufferTest, GivesWhatWasAddedInOrder) {
  SpanBuffer buffer;
  buffer.Add(std::vector<Span>(3, Span{.name = "a"}));
  buffer.Add(std::vector<Span>(2, Span{.name = "b"}));
  EXPECT_EQ(buffer.Take(4, absl::ZeroDuration()).back().name, std::string("b"));
  EXPECT_EQ(buffer.Take(4, absl::ZeroDuration()).size(), 1u);
  EXPECT_TRUE(buffer.Take(4, absl::ZeroDuration()).empty());
}

TEST(SpanBufferTest, DropsAndCountsAllSpansOfATraceThatFindsNoRoom) {
  SpanBuffer buffer(/*most=*/4);
  buffer.Add(std::vector<Span>(3));
  buffer.Add(std::vector<Span>(2));
  EXPECT_EQ(buffer.dropped(), 2u);
  EXPECT_EQ(buffer.Take(10, absl::ZeroDuration()).size(), 3u);
}

TEST(SpanBufferTest, ABatchEndsTheWaiting) {
  SpanBuffer buffer;
  std::thread adds([&buffer] { buffer.Add(std::vector<Span>(2)); });
  EXPECT_EQ(buffer.Take(2, absl::InfiniteDuration()).size(), 2u);
  adds.join();
}

TEST(SpanBufferTest, ClosingEndsTheWaitingAndDropsWhatComesLater) {
  SpanBuffer buffer;
  buffer.Add(std::vector<Span>(1));
  std::thread closes([&buffer] { buffer.Close(); });
  EXPECT_EQ(buffer.Take(2, absl::InfiniteDuration()).size(), 1u);
  closes.join();
  buffer.Add(std::vector<Span>(3));
  EXPECT_EQ(buffer.dropped(), 3u);
}

TEST(SpanBufferTest, WaitsNoLongerWhenTheWallClockIsSetBack) {
  SpanBuffer buffer;
  buffer.Add(std::vector<Span>(1));
  wall_clock::SetAhead(3600);
  EXPECT_EQ(buffer.Take(2, absl::Milliseconds(10)).size(), 1u);
  wall_clock::SetAhead(0);
}

}  // namespace
}  // namespace aaren::trace
