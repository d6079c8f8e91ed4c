#include "server/accept/memory_relief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::accept {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Brought = MemoryRelief::Brought;

constexpr size_t kMiB = 1 << 20;

class MemoryReliefTest : public testing::Test {
 protected:
  // `brought`: in units of 64 KiB, less than which is nobody's fault.
  std::vector<std::string> Look(size_t excess, Brought brought) {
    for (auto& [peer, bytes] : brought) bytes *= 64 << 10;
    return LookAtBytes(excess, brought);
  }
  std::vector<std::string> LookAtBytes(size_t excess, const Brought& brought) {
    excess_ = excess;
    return relief_.WhoMustGo([&] { return brought; });
  }

  size_t excess_ = 0;
  MemoryRelief relief_{[this] { return excess_; }};
};

TEST_F(MemoryReliefTest, NobodyIsAskedWhileThereIsRoom) {
  EXPECT_THAT(relief_.WhoMustGo([]() -> Brought {
    ADD_FAILURE();
    return {};
  }),
              IsEmpty());
  EXPECT_FALSE(relief_.crowded());
}

TEST_F(MemoryReliefTest, WhoBroughtMostGoesAtTheFirstLook) {
  EXPECT_THAT(Look(9 * kMiB, {{"small", 1000}, {"great", 5000}, {"silent", 0}}), ElementsAre("great"));
  EXPECT_TRUE(relief_.crowded());
}

TEST_F(MemoryReliefTest, AsManyGoAsBroughtHalf) {
  EXPECT_THAT(Look(9 * kMiB, {{"a", 30}, {"b", 40}, {"c", 20}, {"d", 10}}), ElementsAre("b", "a"));
}

TEST_F(MemoryReliefTest, WhereItGrowsFastAllOfAHostGoAndNobodyOfAnother) {
  EXPECT_THAT(Look(90 * kMiB, {{"1.1.1.1:1", 40}, {"1.1.1.1:2", 30}, {"1.1.1.1:3", 20}, {"2.2.2.2:1", 10}}),
              ElementsAre("1.1.1.1:1", "1.1.1.1:2", "1.1.1.1:3"));
}

TEST_F(MemoryReliefTest, ManySmallConnectionsOfOneHostGoBeforeAGreaterOneOfAnother) {
  EXPECT_THAT(Look(9 * kMiB, {{"1.1.1.1:1", 30}, {"2.2.2.2:1", 15}, {"2.2.2.2:2", 16}, {"2.2.2.2:3", 14}}),
              ElementsAre("2.2.2.2:2", "2.2.2.2:1", "2.2.2.2:3"));
}

TEST_F(MemoryReliefTest, WhoBroughtNextToNothingStaysWhenTheFloodHasGoneAndItsMemoryComesBackSlowly) {
  Look(90 * kMiB, {{"flood", 10000}, {"honest", 50}});
  Look(50 * kMiB, {{"honest", 20}});
  for (size_t excess = 50; excess > 10; excess -= 3) {
    EXPECT_THAT(Look(excess * kMiB, {{"honest", 1}}), IsEmpty());
    EXPECT_THAT(Look(excess * kMiB, {{"honest", 1}}), IsEmpty());
  }
}

TEST_F(MemoryReliefTest, WhoseLittleMakesItGrowAgainAndAgainGoesAtLast) {
  Look(90 * kMiB, {{"flood", 10000}, {"other", 50}});
  std::vector<std::string> gone;
  size_t looks = 0;
  for (; gone.empty() && looks < 400; ++looks) gone = Look((93 + 3 * looks) * kMiB, {{"other", 1}});
  EXPECT_THAT(gone, ElementsAre("other"));
  EXPECT_GT(looks, 1);
}

TEST_F(MemoryReliefTest, AHostThatBroughtLessThanAFewMessagesNeverGoes) {
  for (size_t look = 0; look < 100; ++look) {
    EXPECT_THAT(LookAtBytes((9 + 9 * look) * kMiB, {{"1.1.1.1:1", 300}, {"1.1.1.1:2", 300}}), IsEmpty());
  }
}

TEST_F(MemoryReliefTest, ManySmallConnectionsOfOneHostAreNotLittleTogether) {
  Brought brought;
  for (int i = 0; i < 100; ++i) brought.emplace_back("2.2.2.2:" + std::to_string(i), 1000);
  EXPECT_THAT(LookAtBytes(9 * kMiB, brought), SizeIs(50));
}

// gRPC goes on with what it has read of who is gone already.
TEST_F(MemoryReliefTest, NobodyElseIsBlamedForWhatStillGrowsWhenTheFloodHasGone) {
  EXPECT_THAT(Look(50 * kMiB, {{"9.9.9.9:1", 10}, {"1.1.1.1:1", 4}}), ElementsAre("9.9.9.9:1"));
  for (size_t look = 1; look < 20; ++look) {
    EXPECT_THAT(Look((50 + 5 * look) * kMiB, {{"1.1.1.1:1", 1}}), IsEmpty()) << look;
  }
}

// A flood that is ended once a second, and whose memory grows on meanwhile.
TEST_F(MemoryReliefTest, AHostThatBroughtMuchLessIsSparedWhileTheFloodComesAgainAndAgain) {
  size_t excess = 50;
  for (int second = 0; second < 20; ++second) {
    EXPECT_THAT(Look(excess * kMiB, {{"9.9.9.9:1", 80}, {"1.1.1.1:1", 1}}), ElementsAre("9.9.9.9:1")) << second;
    for (int look = 0; look < 49; ++look) {
      EXPECT_THAT(LookAtBytes((excess += 3) * kMiB, {{"1.1.1.1:1", 1300}}), IsEmpty()) << second << ", " << look;
    }
  }
}

TEST_F(MemoryReliefTest, WhatAFloodBroughtThatEndedWhileThereWasRoomIsNobodyElsesFault) {
  Look(0, {});
  relief_.NoteEnded("9.9.9.9:1", 100 << 20);
  Look(0, {});
  for (size_t look = 0; look < 200; ++look) {
    EXPECT_THAT(Look((5 + 5 * look) * kMiB, {{"1.1.1.1:1", look == 0 ? 2 : 0}}), IsEmpty()) << look;
  }
}

// What it brings becomes thirty times as much, and the flood comes again once a second.
TEST_F(MemoryReliefTest, AnAccompliceWhoBringsLittleGoesBeforeItHasFilledMuch) {
  std::vector<std::string> gone;
  size_t excess = 50;
  for (int second = 0; second < 30 && gone.empty(); ++second) {
    Look((excess += 3) * kMiB, {{"9.9.9.9:1", 4000}, {"1.1.1.1:1", 0}});
    for (int look = 0; look < 49 && gone.empty(); ++look) {
      gone = LookAtBytes((excess += 2) * kMiB, {{"1.1.1.1:1", kMiB / 15}});
    }
  }
  EXPECT_THAT(gone, ElementsAre("1.1.1.1:1"));
  EXPECT_LT(excess, 200u);
}

TEST_F(MemoryReliefTest, AFloodOfHoursCoversForNobody) {
  for (int second = 0; second < 3600; ++second) {
    relief_.NoteEnded("9.9.9.9:1", 1 << 20);
    for (int look = 0; look < 50; ++look) Look(0, {});
  }
  EXPECT_THAT(Look(9 * kMiB, {{"1.1.1.1:1", 8}}), ElementsAre("1.1.1.1:1"));
}

TEST_F(MemoryReliefTest, WhoeverFillsItWhenTheFloodHasStayedAwayGoes) {
  relief_.NoteEnded("9.9.9.9:1", 100 << 20);
  for (int look = 0; look < 250; ++look) Look(0, {});
  EXPECT_THAT(Look(9 * kMiB, {{"1.1.1.1:1", 2}}), ElementsAre("1.1.1.1:1"));
}

TEST_F(MemoryReliefTest, AHostThatBroughtNearlyAsMuchIsNotSpared) {
  EXPECT_THAT(Look(50 * kMiB, {{"9.9.9.9:1", 80}, {"1.1.1.1:1", 20}}), ElementsAre("9.9.9.9:1"));
  std::vector<std::string> gone;
  for (size_t look = 1; gone.empty() && look < 40; ++look) gone = Look((50 + 5 * look) * kMiB, {{"1.1.1.1:1", 1}});
  EXPECT_THAT(gone, ElementsAre("1.1.1.1:1"));
}

TEST_F(MemoryReliefTest, WhoComesBackAndGrowsItOnIsBlamedAtOnce) {
  Look(50 * kMiB, {{"9.9.9.9:1", 10}, {"1.1.1.1:1", 4}});
  EXPECT_THAT(Look(60 * kMiB, {{"9.9.9.9:2", 6}, {"1.1.1.1:1", 4}}), ElementsAre("9.9.9.9:2"));
}

TEST_F(MemoryReliefTest, WhoBroughtNothingNeverGoes) { EXPECT_THAT(Look(9 * kMiB, {{"silent", 0}}), IsEmpty()); }

TEST_F(MemoryReliefTest, WhoIsFoundToHaveBroughtItALittleLaterGoes) {
  EXPECT_THAT(Look(9 * kMiB, {{"a", 0}}), IsEmpty());
  EXPECT_THAT(Look(9 * kMiB, {{"a", 5}}), ElementsAre("a"));
}

TEST_F(MemoryReliefTest, WhatNobodyBroughtIsNobodysLater) {
  for (int look = 0; look < 60; ++look) Look(9 * kMiB, {{"a", 0}});
  EXPECT_THAT(Look(9 * kMiB, {{"a", 5}}), IsEmpty());
}

TEST_F(MemoryReliefTest, NobodyGoesWhileTheMemoryOfOthersComesBack) {
  Look(90 * kMiB, {{"a", 40}, {"b", 30}});
  EXPECT_THAT(Look(70 * kMiB, {{"b", 0}}), IsEmpty());
  EXPECT_THAT(Look(50 * kMiB, {{"b", 0}}), IsEmpty());
}

TEST_F(MemoryReliefTest, TheNextOnesGoIfThatHelpedAndWasNotEnough) {
  Look(90 * kMiB, {{"a", 40}, {"b", 30}, {"c", 1}});
  Look(50 * kMiB, {{"b", 0}, {"c", 0}});
  EXPECT_THAT(Look(50 * kMiB, {{"b", 0}, {"c", 0}}), ElementsAre("b"));
}

TEST_F(MemoryReliefTest, NobodyElseGoesIfThatDidNotHelp) {
  Look(90 * kMiB, {{"a", 40}, {"b", 30}});
  for (int look = 0; look < 100; ++look) EXPECT_THAT(Look(90 * kMiB, {{"b", 5}}), IsEmpty());
}

TEST_F(MemoryReliefTest, WhoBroughtMuchWhileItDidNotGrowIsNotToBlameLater) {
  Look(90 * kMiB, {{"a", 40}});
  for (int look = 0; look < 60; ++look) Look(90 * kMiB, {{"busy", look < 40 ? 1000 : 5}, {"late", 0}});
  EXPECT_THAT(Look(95 * kMiB, {{"busy", 5}, {"late", 500}}), ElementsAre("late"));
}

TEST_F(MemoryReliefTest, WhoGrowsItAgainFromALowerLevelGoes) {
  Look(90 * kMiB, {{"a", 40}});
  Look(20 * kMiB, {{"b", 0}});
  EXPECT_THAT(Look(30 * kMiB, {{"b", 7}}), ElementsAre("b"));
}

// By less at each look than is a change.
TEST_F(MemoryReliefTest, WhoGrowsItSlowlyAfterItWasStillGoes) {
  for (int look = 0; look < 60; ++look) Look(9 * kMiB, {{"flood", 0}});
  std::vector<std::string> gone;
  for (size_t look = 1; gone.empty() && look < 200; ++look) gone = Look((9 + look) * kMiB, {{"flood", 900 << 10}});
  EXPECT_THAT(gone, ElementsAre("flood"));
  EXPECT_LE(excess_, 12 * kMiB);
}

// And waits each time until what was brought is forgiven.
TEST_F(MemoryReliefTest, WhoGrowsItByLittleAgainAndAgainGoes) {
  for (int look = 0; look < 60; ++look) Look(9 * kMiB, {{"flood", 0}});
  std::vector<std::string> gone;
  for (size_t step = 1; gone.empty() && step < 20; ++step) {
    gone = Look((9 * 2 + 3 * step) * kMiB / 2, {{"flood", 1000}});
    for (int look = 0; gone.empty() && look < 60; ++look) Look(excess_, {{"flood", 0}});
  }
  EXPECT_THAT(gone, ElementsAre("flood"));
  EXPECT_LE(excess_, 13 * kMiB);
}

TEST_F(MemoryReliefTest, PatienceBeginsAnewWhenMemoryIsShortAgain) {
  for (int look = 0; look < 60; ++look) Look(9 * kMiB, {{"a", 0}});
  Look(0, {});
  EXPECT_THAT(Look(kMiB / 2, {{"a", 0}}), IsEmpty());
  EXPECT_THAT(Look(3 * kMiB / 2, {{"a", 0}}), IsEmpty());
  EXPECT_THAT(Look(5 * kMiB / 2, {{"a", 5}}), ElementsAre("a"));
}

TEST_F(MemoryReliefTest, NobodyGoesWhileItComesBackSlowlyAfterItWasStill) {
  for (int look = 0; look < 60; ++look) Look(90 * kMiB, {{"a", 0}});
  for (size_t look = 1; look < 80; ++look) EXPECT_THAT(Look((180 - look) * kMiB / 2, {{"a", 5}}), IsEmpty());
}

TEST_F(MemoryReliefTest, WhatWasBroughtBeforeThereWasRoomAgainIsForgiven) {
  Look(90 * kMiB, {{"a", 40}, {"b", 30}});
  for (int look = 0; look < 30; ++look) Look(0, {});
  EXPECT_THAT(Look(9 * kMiB, {{"b", 3}, {"c", 4}}), ElementsAre("c"));
}

}  // namespace
}  // namespace aaren::accept
