#include "client/cli/sources/events/live_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/client/cli/sources/events/marks_of.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LiveEvents Pipe(std::string text, bool stop_at_late = false) {
  auto reader = EventReader::Open(
      "standard input",
      [text = std::move(text)](char* buffer, size_t size) mutable -> absl::StatusOr<size_t> {
        const size_t taken = text.copy(buffer, size);
        text.erase(0, taken);
        return taken;
      },
      {}, /*live=*/true);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return LiveEvents(*std::move(reader), stop_at_late);
}

TEST(LiveEventsTest, LateEventsAreLeftOutAndCounted) {
  LiveEvents source = Pipe("time,mark\n1,a\n5,b\n3,c\n5,d\nlater,e\n6,f\n");
  EXPECT_EQ(MarksOf(source), "abdf");
  EXPECT_THAT(source.Summary(),
              ElementsAre("standard input: 1 event left out for being late: a later event had passed",
                          "standard input: 1 event at the time of the event before: the order of arrival counts",
                          HasSubstr("1 event left out that could not be read; the first: standard input: line 6")));
}

TEST(LiveEventsTest, ALateEventEndsTheStreamIfToldSo) {
  LiveEvents source = Pipe("time,mark\n5,a\n3,b\n", true);
  Row row;
  ASSERT_TRUE(source.Next(row).ok());
  EXPECT_THAT(std::string(source.Next(row).status().message()), HasSubstr("line 3: \"3\" is late"));
}

TEST(LiveEventsTest, AnEventDoesNotWaitForARecordThatMayBeNone) {
  LiveEvents source = Pipe("time,mark\n5,a\n3,late\n");
  Row row;
  ASSERT_TRUE(source.Next(row).ok());
  EXPECT_FALSE(source.ready());
}

TEST(LiveEventsTest, ASessionGoesOnBehindItsLastTime) {
  LiveEvents source = Pipe("{\"time\":1,\"mark\":\"a\"}\n{\"time\":2,\"mark\":\"b\"}\n{\"time\":3,\"mark\":\"c\"}\n");
  EXPECT_THAT(*source.GoOn({.next_seq = 9, .last_time_ns = 2'000'000'000}), HasSubstr("behind 2"));
  EXPECT_EQ(MarksOf(source), "c");
}

TEST(LiveEventsTest, ASecondSeriesIsRefused) {
  LiveEvents source = Pipe("time,series\n1,x\n2,y\n");
  Row row;
  ASSERT_TRUE(source.Next(row).ok());
  EXPECT_THAT(std::string(source.Next(row).status().message()), HasSubstr("line 3: series \"y\" beside \"x\""));
}

}  // namespace
}  // namespace aaren::cli
