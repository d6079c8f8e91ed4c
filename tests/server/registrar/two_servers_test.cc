// Two servers that share a store: whichever a client comes to goes on from where the session is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/shard/world.h"

namespace aaren {
namespace {

using ::testing::HasSubstr;
using Event = FakePeer::Event;

constexpr absl::Duration kInterval = absl::Milliseconds(500);

class TwoServersTest : public testing::Test {
 protected:
  // The first has taken three tokens of the session and saved it, then the second has opened it and taken two more.
  TwoServersTest() {
    first_.Open(at_first_, 0, Named("a"));
    first_.Send(at_first_, 0, 0, Values(0, 3));
    first_.Advance(kInterval);
    second_.Open(at_second_, 0, Named("a"));
    second_.Send(at_second_, 0, 3, Values(3, 2));
    second_.Advance(kInterval);
  }

  World first_{ShardOptions{.save_interval = kInterval}, 2};
  World second_{ShardOptions{.save_interval = kInterval}, 1, first_.shared_store()};
  FakePeer at_first_, at_second_, again_;
};

TEST_F(TwoServersTest, SecondGoesOnFromTheSaveOfTheFirst) {
  EXPECT_EQ(at_second_.Last(Event::kOpened, 0).opened.next_seq, 3u);
  EXPECT_EQ(at_second_.Forecasts(0).back(), second_.engine().Forecasts(Values(0, 5))[4]);
}

TEST_F(TwoServersTest, FirstEndsItsSessionAtItsNextSave) {
  first_.Send(at_first_, 0, 3, Values(3, 1));
  first_.Advance(kInterval);
  EXPECT_EQ(at_first_.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(first_.shard().counters().sessions_resident.value(), 0u);
}

TEST_F(TwoServersTest, OpenAtTheFirstGoesOnFromTheStateOfTheSecond) {
  first_.Open(again_, 7, Named("a"));
  EXPECT_EQ(again_.Last().opened.next_seq, 5u);
  first_.Send(again_, 7, 5, Values(5, 1));
  EXPECT_EQ(again_.Forecasts(7)[0], first_.engine().Forecasts(Values(0, 6))[5]);
}

TEST_F(TwoServersTest, OpenAtAnotherShardOfTheFirstDoesToo) {
  first_.Open(again_, 7, Named("a"), /*shard=*/1);
  EXPECT_EQ(again_.Last().opened.next_seq, 5u);
  EXPECT_EQ(first_.shard(0).counters().slots_used.value(), 0u);
}

TEST_F(TwoServersTest, SessionThatTheSecondDeletedIsNotBroughtBackByASave) {
  ASSERT_FALSE(second_.Delete("a").refusal);
  first_.Send(at_first_, 0, 3, Values(3, 1));
  first_.Advance(kInterval);
  EXPECT_THAT(std::string(at_first_.Last().refusal.status.message()), HasSubstr("deleted"));
  EXPECT_TRUE(absl::IsNotFound(first_.store().Load("/a").status()));
}

TEST_F(TwoServersTest, SessionThatTheSecondDeletedIsMadeAnewByAnOpen) {
  ASSERT_FALSE(second_.Delete("a").refusal);
  first_.Open(again_, 7, Named("a"));
  EXPECT_TRUE(again_.Last().opened.created);
  EXPECT_EQ(again_.Last().opened.next_seq, 0u);
}

}  // namespace
}  // namespace aaren
