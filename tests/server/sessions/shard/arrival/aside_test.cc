#include "server/sessions/shard/arrival/aside.h"

#include <gtest/gtest.h>

#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

constexpr size_t kRoom = 4000;

class AsideTest : public testing::Test {
 protected:
  // A session with a reply held until the client tells delivered_seq, and with 300 more tokens.
  session::Session& Untold() {
    session::Session& session = parts_.Attach(peer_, 0, "a");
    session.durability = session::SessionDurability::kEveryToken;
    parts_.Send(session, 0, 2);
    (void)parts_.steps.Run();
    session.pending_seq = 1;
    parts_.residents.OnSaveEnded(session);
    parts_.Send(session, 2, 300);
    return session;
  }

  BareParts parts_{ShardOptions{.max_queued_bytes = kRoom}};
  FakePeer peer_;
  Aside aside_{parts_.core, parts_.residents, parts_.steps, parts_.handles, parts_.intake, parts_.tiers};
};

TEST_F(AsideTest, AStreamWithNothingWaitingMaySendAnything) { EXPECT_TRUE(aside_.Admits(peer_, 10 * kRoom)); }

TEST_F(AsideTest, TokensThatWaitForAWordMakeRoomForTheWord) {
  session::Session& session = Untold();
  EXPECT_EQ(session.list, session::Session::List::kUntold);
  EXPECT_TRUE(aside_.Admits(peer_, 100));
  EXPECT_EQ(parts_.core.counters.tokens_refused.value(), 300u);
  EXPECT_TRUE(session.refusing);
}

TEST_F(AsideTest, TokensThatWaitForAStepStay) {
  session::Session& session = parts_.Attach(peer_, 0, "a");
  parts_.Send(session, 0, 300);
  EXPECT_FALSE(aside_.Admits(peer_, 100));
  EXPECT_EQ(session.flow->tokens, 300u);
}

}  // namespace
}  // namespace aaren::shard
