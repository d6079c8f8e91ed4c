#include "client/cli/sources/events/file_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/client/cli/sources/events/marks_of.h"
#include "tests/client/cli/temporary_file.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kSecondNs = 1'000'000'000;

absl::StatusOr<std::vector<EventSeries>> ReadEvents(const std::string& text, bool stop_at_late = false) {
  const TemporaryFile file(text);
  return ReadEventFile(file.path(), {}, stop_at_late);
}

TEST(EventSeriesTest, SeriesOfAFileComeInTheirFirstOrder) {
  const auto all = ReadEvents("time,mark,series\n1,a,x\n1,b,y\n2,c,x\n");
  ASSERT_EQ(all->size(), 2u);
  FileEvents x("f", (*all)[0], false), y("f", (*all)[1], false);
  EXPECT_EQ(x.columns(), std::vector<std::string>({"x"}));
  EXPECT_EQ(MarksOf(x), "ac");
  EXPECT_EQ(MarksOf(y), "b");
}

TEST(EventSeriesTest, LateEventsAreSortedAndEqualTimesKeepTheirOrder) {
  const auto all = ReadEvents("time,mark\n1,a\n5,b\n3,c\n5,d\n3,e\n");
  FileEvents source("f", (*all)[0], false);
  EXPECT_EQ(MarksOf(source), "acebd");
  EXPECT_THAT(source.Summary(),
              ElementsAre("f: 2 events stood behind later ones: sorted by time",
                          "f: 2 events at the time of the event before: the order of the file counts"));
}

TEST(EventSeriesTest, ALateEventStopsTheReadingIfToldSo) {
  EXPECT_THAT(std::string(ReadEvents("time\n2\n1\n", true).status().message()), HasSubstr("line 3: \"1\" is late"));
}

TEST(EventSeriesTest, AFileWithoutEventsIsRefused) {
  EXPECT_THAT(std::string(ReadEvents("time,mark\n").status().message()), HasSubstr("no events"));
}

TEST(FileEventsTest, ASessionGoesOnInTheSameFileByTheNumberOfItsEvents) {
  const auto all = ReadEvents("time,mark\n1,a\n1,b\n2,c\n");
  FileEvents source("f", (*all)[0], false);
  // The second event has the time of the first: the number tells them apart.
  ASSERT_TRUE(source.GoOn({.next_seq = 1, .last_time_ns = kSecondNs}).ok());
  EXPECT_EQ(MarksOf(source), "bc");
  ASSERT_TRUE(source.Seek(0).ok());
  EXPECT_EQ(MarksOf(source), "abc");
}

TEST(FileEventsTest, ASessionGoesOnInAFurtherFileBehindItsLastTime) {
  const auto all = ReadEvents("time,mark\n1,a\n7,b\n9,c\n");
  FileEvents source("f", (*all)[0], false);
  const auto said = source.GoOn({.next_seq = 100, .last_time_ns = 7 * kSecondNs});
  EXPECT_THAT(*said, HasSubstr("behind the time of its last"));
  EXPECT_EQ(MarksOf(source), "c");
  EXPECT_TRUE(source.CanSeek(100));
  EXPECT_FALSE(source.CanSeek(99));
  EXPECT_EQ(source.Seek(99).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(source.Seek(102).code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(source.Summary(), ElementsAre("f: 2 events left out that the session has already"));
}

TEST(FileEventsTest, AFileTakenFromItsStartFollowsOnTheSession) {
  const auto all = ReadEvents("time,mark\n7,a\n9,b\n");
  FileEvents source("f", (*all)[0], true);
  ASSERT_TRUE(source.GoOn({.next_seq = 2, .last_time_ns = 7 * kSecondNs}).ok());
  EXPECT_EQ(MarksOf(source), "ab");
  EXPECT_FALSE(source.GoOn({.next_seq = 2, .last_time_ns = 8 * kSecondNs}).ok());
}

TEST(FileEventsTest, ANewSessionTakesAllEvents) {
  const auto all = ReadEvents("time\n1\n2\n");
  FileEvents source("f", (*all)[0], false);
  EXPECT_EQ(*source.GoOn({}), "");
  Row row;
  EXPECT_TRUE(*source.Next(row));
  EXPECT_EQ(row.time, "1");
  EXPECT_THAT(row.values, IsEmpty());
}

}  // namespace
}  // namespace aaren::cli
