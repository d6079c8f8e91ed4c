#include "server/net/rpc/limits/last_words.h"

#include <gtest/gtest.h>

#include <list>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::rpc {
namespace {

class LastWordsTest : public testing::Test {
 protected:
  void Say() {
    words_.Begin(said_.emplace_back(), [this] { ++cut_off_; });
  }

  shard::TestClock clock_;
  int cut_off_ = 0;
  LastWords words_{clock_};
  std::list<LastWords::Word> said_;
};

TEST_F(LastWordsTest, WhoseTimeIsOverIsCutOffOnce) {
  Say();
  clock_.Advance(absl::Seconds(4));
  Say();
  words_.EndStale();
  EXPECT_EQ(cut_off_, 0);
  clock_.Advance(absl::Seconds(1));
  words_.EndStale();
  words_.EndStale();
  EXPECT_EQ(cut_off_, 1);
  EXPECT_EQ(words_.size(), 1u);
}

TEST_F(LastWordsTest, WordThatHasLeftIsForgotten) {
  Say();
  said_.clear();
  clock_.Advance(absl::Minutes(1));
  words_.EndStale();
  EXPECT_EQ(cut_off_, 0);
  EXPECT_EQ(words_.size(), 0u);
}

TEST_F(LastWordsTest, BeyondAThousandTheOldestIsCutOff) {
  for (int i = 0; i < 1030; ++i) Say();
  EXPECT_EQ(cut_off_, 6);
  EXPECT_EQ(words_.size(), 1024u);
}

TEST_F(LastWordsTest, BeyondTwoThousandWithThoseCutOffNoCallIsWaitedFor) {
  int accepted = 0;
  for (int i = 0; i < 2047; ++i) Say();
  clock_.Advance(absl::Milliseconds(1));
  words_.WhenFew([&] { ++accepted; });
  EXPECT_EQ(accepted, 1);
  Say();
  words_.WhenFew([&] { ++accepted; });
  words_.WhenFew([&] { ++accepted; });
  EXPECT_EQ(accepted, 1);
  said_.pop_front();
  EXPECT_EQ(accepted, 3);
}

TEST_F(LastWordsTest, BetweenPauseAndResumeNoCallIsWaitedFor) {
  int accepted = 0;
  words_.Pause();
  words_.WhenFew([&] { ++accepted; });
  EXPECT_EQ(accepted, 0);
  words_.Resume();
  EXPECT_EQ(accepted, 1);
}

TEST_F(LastWordsTest, OneThatIsWaitedForAgainMayBringThemBackOverTheLimit) {
  int accepted = 0;
  for (int i = 0; i < 2048; ++i) Say();
  clock_.Advance(absl::Milliseconds(1));
  for (int i = 0; i < 2; ++i) {
    words_.WhenFew([&] {
      ++accepted;
      Say();
    });
  }
  said_.pop_front();
  EXPECT_EQ(accepted, 2);
}

TEST_F(LastWordsTest, WordMayGoAfterItWasCutOff) {
  Say();
  clock_.Advance(absl::Seconds(5));
  words_.EndStale();
  said_.clear();
  Say();
  EXPECT_EQ(words_.size(), 1u);
}

}  // namespace
}  // namespace aaren::rpc
