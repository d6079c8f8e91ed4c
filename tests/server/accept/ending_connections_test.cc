#include "server/accept/ending_connections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/accept/loopback.h"

namespace aaren::accept {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMs = 1'000'000;

class EndingConnectionsTest : public testing::Test {
 protected:
  EndingConnectionsTest() {
    table_.Add("peer", loopback_.own(), 0);
    EXPECT_TRUE(ending_.Add("peer", connection(), 0));
  }
  Connection& connection() { return table_.connections().at("peer"); }

  Loopback loopback_;
  ConnectionTable table_{/*shards=*/1};
  EndingConnections ending_;
};

TEST_F(EndingConnectionsTest, NothingComesOfThemAnyMore) {
  loopback_.Send(1);
  EXPECT_FALSE(loopback_.Waits());
  EXPECT_TRUE(connection().ending);
}

TEST_F(EndingConnectionsTest, AreDueOnceNoCallHasBegunForTwentyMilliseconds) {
  for (int64_t now = 15 * kMs; now < 150 * kMs; now += 15 * kMs) {
    connection().heard->NoteBegun(1);
    EXPECT_THAT(ending_.TakeDue(table_, now), IsEmpty());
  }
  EXPECT_THAT(ending_.TakeDue(table_, 154 * kMs), IsEmpty());
  EXPECT_THAT(ending_.TakeDue(table_, 155 * kMs), ElementsAre("peer"));
  EXPECT_TRUE(ending_.empty());
}

TEST_F(EndingConnectionsTest, AreDueAfterThreeSecondsInAnyCase) {
  for (int64_t now = 15 * kMs; now < 3000 * kMs; now += 15 * kMs) {
    connection().heard->NoteBegun(1);
    EXPECT_THAT(ending_.TakeDue(table_, now), IsEmpty());
  }
  connection().heard->NoteBegun(1);
  EXPECT_THAT(ending_.TakeDue(table_, 3000 * kMs), ElementsAre("peer"));
}

TEST_F(EndingConnectionsTest, AreForgottenWhenTheyEndByThemselves) {
  table_.Add("peer", loopback_.own(), 0);  // another, of the same name
  EXPECT_THAT(ending_.TakeDue(table_, 100 * kMs), IsEmpty());
  EXPECT_TRUE(ending_.empty());
}

}  // namespace
}  // namespace aaren::accept
