#include "server/accept/holds.h"

#include <gtest/gtest.h>

namespace aaren::accept {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(HoldsTest, AnUnheldConnectionsIsOver) { EXPECT_TRUE(Holds().OverAt(0)); }

TEST(HoldsTest, EachLastsFourTimesAsLongAsTheOneBefore) {
  Heard heard;
  Holds holds;
  int64_t now = kSecond;
  for (const int64_t length :
       {kSecond / 10, 4 * kSecond / 10, 16 * kSecond / 10, 32 * kSecond / 10, 32 * kSecond / 10}) {
    ASSERT_TRUE(holds.Begin(heard, now));
    EXPECT_FALSE(holds.OverAt(now + length - 1));
    EXPECT_TRUE(holds.OverAt(now + length));
    now += length;
    heard.NoteHandled(now);
  }
}

TEST(HoldsTest, GoesOnForTwentyMillisecondsAfterACallHasBegun) {
  Heard heard;
  Holds holds;
  ASSERT_TRUE(holds.Begin(heard, 0));
  heard.NoteBegun(1);
  holds.Look(heard, kSecond / 10 - 1);
  holds.Look(heard, kSecond / 10);
  EXPECT_FALSE(holds.OverAt(kSecond / 10 + 19'999'998));
  EXPECT_TRUE(holds.OverAt(kSecond / 10 + 19'999'999));
}

TEST(HoldsTest, AfterAMinuteWithoutOneTheNextIsTheFirstAgain) {
  Heard heard;
  Holds holds;
  ASSERT_TRUE(holds.Begin(heard, 0));
  const int64_t later = kSecond / 10 + 60 * kSecond;
  ASSERT_TRUE(holds.Begin(heard, later));
  EXPECT_TRUE(holds.OverAt(later + kSecond / 10));
}

TEST(HoldsTest, OneOfWhichNothingWasHandledSinceTheLastIsAFlood) {
  Heard heard;
  Holds holds;
  heard.NoteBegun(1);
  heard.NoteHandled(2);
  ASSERT_TRUE(holds.Begin(heard, kSecond));
  EXPECT_FALSE(holds.Begin(heard, 2 * kSecond));
}

TEST(HoldsTest, OneOfWhichACallHasBegunSinceIsNone) {
  Heard heard;
  Holds holds;
  ASSERT_TRUE(holds.Begin(heard, kSecond));
  heard.NoteBegun(1);
  EXPECT_TRUE(holds.Begin(heard, 2 * kSecond));
}

TEST(HoldsTest, TwiceTheCallsThatMayBeUnderWayAreNotTooManyAndOneMoreIs) {
  Heard heard;
  Holds holds;
  for (int i = 0; i < 1000; ++i) heard.NoteBegun(1);
  ASSERT_TRUE(holds.Begin(heard, kSecond));
  for (int i = 0; i < 512; ++i) heard.NoteBegun(1);
  EXPECT_FALSE(holds.HasTooManyCalls(heard));
  heard.NoteBegun(1);
  EXPECT_TRUE(holds.HasTooManyCalls(heard));
}

}  // namespace
}  // namespace aaren::accept
