#include "server/sessions/shard/handles/handles.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

void Open(BareParts& parts, FakePeer& peer, uint64_t ticket) {
  auto opening = std::make_unique<Opening>();
  opening->stream = &parts.handles.Of(peer);
  opening->handle = static_cast<session::Handle>(ticket);
  parts.handles.Begin(ticket, std::move(opening));
}

TEST(HandlesTest, AStreamMayHaveHalfOfTheOpensThatAreLeft) {
  BareParts parts({.max_pending_opens = 6});
  FakePeer greedy, other;
  for (uint64_t ticket = 0; parts.handles.AdmitsOpen(greedy); ++ticket) Open(parts, greedy, ticket);
  EXPECT_EQ(parts.handles.Of(greedy).openings, 2u);
  EXPECT_TRUE(parts.handles.AdmitsOpen(other));
}

TEST(HandlesTest, AnOpenUnderWayIsOwedToItsStream) {
  BareParts parts;
  FakePeer peer;
  Open(parts, peer, 7);
  EXPECT_TRUE(parts.handles.Owes(peer));
  EXPECT_TRUE(parts.handles.busy());
  (void)parts.handles.TakeOpening(7);
  EXPECT_FALSE(parts.handles.Owes(peer));
}

TEST(HandlesTest, AHandleIsVisitedAsTheThingItStandsFor) {
  BareParts parts;
  FakePeer peer;
  Open(parts, peer, 3);
  session::Binding& binding = *parts.handles.Of(peer).handles.Find(3);
  EXPECT_TRUE(VisitBinding(binding, Visitor{[](Opening&) { return true; }, [](session::Binding&) { return false; }}));
  EXPECT_FALSE(IsClosing(binding));
}

TEST(HandlesTest, ACloseOfARefusedHandleIsAnsweredOnce) {
  BareParts parts;
  FakePeer peer;
  queue::Attachment& stream = parts.handles.Of(peer);
  parts.handles.refused().Remember(stream, 4);
  parts.handles.CloseUnused(stream, 4);
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  parts.handles.CloseUnused(stream, 4);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kNotFound);
}

TEST(HandlesTest, AStreamThatLeavesGivesItsPendingOpensBack) {
  BareParts parts;
  FakePeer peer;
  Open(parts, peer, 1);
  const std::unique_ptr<queue::Attachment> stream = parts.handles.Take(peer);
  EXPECT_EQ(stream->tenant.pending, 1u);
  parts.handles.Forget(*stream);
  EXPECT_EQ(stream->tenant.pending, 0u);
  EXPECT_EQ(peer.notes, nullptr);
}

}  // namespace
}  // namespace aaren::shard
