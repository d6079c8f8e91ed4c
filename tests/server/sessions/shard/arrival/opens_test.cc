#include "server/sessions/shard/arrival/opens.h"

#include <gtest/gtest.h>

#include <utility>

#include "server/sessions/session/refusal.h"
#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

class OpensTest : public testing::Test {
 protected:
  const registrar::OpenCall& Begin(session::Handle handle) {
    session::OpenRequest request;
    request.session_id = "a";
    parts_.opens.Begin(peer_, handle, std::move(request));
    return *parts_.directory.opens.back();
  }

  // The registrar's answer: a new session.
  registrar::Installation NewSession() const {
    registrar::Installation installation;
    installation.state.model = parts_.models->models().front();
    installation.state.epoch = installation.state.incarnation = 3;
    installation.created = true;
    return installation;
  }

  BareParts parts_;
  FakePeer peer_;
};

TEST_F(OpensTest, AnInstalledSessionIsAttachedAndGetsTheTokensBehindTheOpen) {
  const registrar::OpenCall& call = Begin(0);
  const std::vector<float> values = Values(0, 2);
  parts_.intake.Defer(parts_.handles.FindOpening(call.ticket), BareParts::Item(values, 0, 0), 1);
  ASSERT_FALSE(parts_.opens.Reserve(call.ticket, {parts_.models->models().front(), 1}));
  parts_.opens.Install(call, NewSession());
  EXPECT_EQ(peer_.Last().kind, Event::kOpened);
  EXPECT_EQ(peer_.Last().opened.epoch, 3u);
  EXPECT_EQ(parts_.residents.Find("/a")->flow->tokens, 2u);
}

TEST_F(OpensTest, AHandleThatIsOpenIsRefusedWithoutTheRegistrar) {
  (void)Begin(0);
  (void)Begin(0);
  EXPECT_EQ(parts_.directory.opens.size(), 1u);
  EXPECT_EQ(peer_.Last().refusal.field, "open.handle");
}

TEST_F(OpensTest, ARefusedOpenFreesTheReservedRow) {
  const registrar::OpenCall& call = Begin(0);
  ASSERT_FALSE(parts_.opens.Reserve(call.ticket, {parts_.models->models().front(), 1}));
  parts_.opens.Refuse(call.ticket, session::ShuttingDown());
  EXPECT_EQ(parts_.residents.rows().used_rows(), 0u);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(parts_.handles.Of(peer_).refused, 1u);
}

TEST_F(OpensTest, ASessionWhoseStreamHasGoneRests) {
  const registrar::OpenCall& call = Begin(0);
  ASSERT_FALSE(parts_.opens.Reserve(call.ticket, {parts_.models->models().front(), 1}));
  parts_.opens.Abandon(parts_.handles.FindOpening(call.ticket));
  EXPECT_TRUE(call.cancelled);
  parts_.opens.Install(call, NewSession());
  EXPECT_EQ(parts_.residents.Find("/a")->stream, nullptr);
  EXPECT_TRUE(peer_.events.empty());
}

TEST_F(OpensTest, ATakenSessionThatStaysIsHeld) {
  session::Session& session = parts_.Attach(peer_, 5, "a");
  const registrar::OpenCall& call = Begin(0);
  const registrar::OwnerReply<session::SessionState> reply = parts_.opens.Take(call, 9);
  EXPECT_FALSE(reply.gone);
  EXPECT_TRUE(session.held);
  EXPECT_EQ(peer_.Last(Event::kFailed, 5).refusal.status.code(), absl::StatusCode::kAborted);
}

}  // namespace
}  // namespace aaren::shard
