// Opens: create and resume, pinned models, refusals, and fenced streams.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using Event = FakePeer::Event;

TEST(OpenTest, CreatesASession) {
  World world;
  FakePeer peer;
  world.Open(peer, 3, Named("a"));
  ASSERT_EQ(peer.Last().kind, Event::kOpened);
  const session::OpenedReply& opened = peer.Last().opened;
  EXPECT_TRUE(opened.created);
  EXPECT_EQ(opened.next_seq, 0);
  EXPECT_EQ(opened.durable_seq, 0);
  EXPECT_EQ(opened.incarnation, opened.epoch);
  EXPECT_EQ(opened.channels, 1);
  EXPECT_EQ(opened.model->id, "sum:1");
  EXPECT_FALSE(opened.lost.has_value());
}

TEST(OpenTest, ResumesASessionWhereItWas) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  const session::OpenedReply created = peer.Last().opened;
  world.Send(peer, 0, 0, Values(0, 5));
  world.shard().Disconnect(peer);
  FakePeer again;
  world.Open(again, 0, InMode(session::OpenMode::kResume));
  ASSERT_EQ(again.Last().kind, Event::kOpened);
  EXPECT_FALSE(again.Last().opened.created);
  EXPECT_EQ(again.Last().opened.next_seq, 5);
  EXPECT_EQ(again.Last().opened.incarnation, created.incarnation);
  EXPECT_GT(again.Last().opened.epoch, created.epoch);
  world.Send(again, 0, 5, Values(5, 1));
  EXPECT_EQ(again.Forecasts(0)[0], world.engine().Forecasts(Values(0, 6))[5]);
}

TEST(OpenTest, ToResumeIsRefusedWhereThereIsNone) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, InMode(session::OpenMode::kResume));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(peer.Last().refusal.reason, "SESSION_NOT_FOUND");
  EXPECT_TRUE(absl::IsNotFound(world.Get("a").refusal->status));
}

TEST(OpenTest, ToCreateIsRefusedWhereThereIsOneAndLeavesItsWriterAlone) {
  World world;
  FakePeer writer, other;
  world.Open(writer, 0, Named("a"));
  world.Open(other, 0, InMode(session::OpenMode::kCreate));
  EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(other.Last().refusal.metadata, Contains(Pair("epoch", ::testing::_)));
  world.Send(writer, 0, 0, Values(0, 2));
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
}

TEST(OpenTest, OfAnotherIncarnationIsRefusedAndLeavesTheWriterAlone) {
  World world;
  FakePeer writer, other;
  world.Open(writer, 0, Named("a"));
  session::OpenRequest request = Named("a");
  request.incarnation = writer.Last().opened.incarnation + 1;
  world.Open(other, 0, request);
  EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(other.Last().refusal.reason, "INCARNATION");
  world.Send(writer, 0, 0, Values(0, 2));
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
  request.incarnation = writer.events[0].opened.incarnation;
  world.Open(other, 0, request);
  EXPECT_EQ(other.Last().kind, Event::kOpened);
}

TEST(OpenTest, OfAnIncarnationThatIsGoneCreatesNothing) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.incarnation = 5;
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.reason, "INCARNATION");
  EXPECT_TRUE(absl::IsNotFound(world.Get("a").refusal->status));
}

TEST(OpenTest, FencesTheWriterBefore) {
  World world;
  FakePeer before, after;
  world.Open(before, 4, Named("a"));
  world.Open(after, 0, Named("a"));
  EXPECT_EQ(before.Last().handle, 4);
  EXPECT_EQ(before.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(before.Last().refusal.metadata,
              Contains(Pair("current_epoch", std::to_string(after.Last().opened.epoch))));
  const size_t events = before.events.size();
  world.Send(before, 4, 0, Values(0, 1));
  EXPECT_EQ(before.events.size(), events);
  EXPECT_EQ(world.Get("a").value.next_seq, 0);
}

// A client that connects again takes its own sessions.
TEST(OpenTest, ATakeoverWithinTheServerIsCountedApartFromThoseOfOtherServers) {
  for (const int shard : {0, 1}) {
    World world({}, 2);
    FakePeer before, after;
    world.Open(before, 4, Named("a"));
    world.Open(after, 0, Named("a"), shard);
    EXPECT_EQ(world.shard().counters().sessions_taken_over.value(), 1u);
    EXPECT_EQ(world.shard().counters().sessions_fenced.value(), 0u);
  }
}

TEST(OpenTest, GoesOnAfterWhatItsOldWriterSentAndWasStepped) {
  World world;
  FakePeer before, after;
  world.Open(before, 0, Named("a"));
  const std::vector<float> values = Values(0, 3);
  session::TokensView tokens;
  tokens.values = values;
  world.shard().Tokens(before, tokens);
  world.shard().Step();
  world.Open(after, 0, Named("a"));
  EXPECT_EQ(before.Forecasts(0).size(), 3);
  EXPECT_EQ(before.Last().kind, Event::kFailed);
  EXPECT_EQ(after.Last().opened.next_seq, 3);
}

// The old writer's tokens may be stepped before the Open takes the session, or be dropped; next_seq tells.
TEST(OpenTest, DropsWhatOfItsOldWriterStillWaits) {
  World world;
  FakePeer before, after;
  world.Open(before, 0, Named("a"));
  const std::vector<float> values = Values(0, 3);
  session::TokensView tokens;
  tokens.values = values;
  world.shard().Tokens(before, tokens);
  world.shard().Open(after, 0, Named("a"));
  ASSERT_TRUE(world.DrainUntil([&after] { return after.Count(Event::kOpened, 0) == 1; }));
  world.Settle();
  EXPECT_EQ(before.Count(Event::kForecasts, 0), 0);
  EXPECT_EQ(before.Last().kind, Event::kFailed);
  EXPECT_EQ(after.Last().opened.next_seq, 0);
  EXPECT_EQ(world.shard().counters().tokens_dropped.value(), 3);
}

TEST(OpenTest, OnTheSameStreamFencesTheOtherHandle) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Open(peer, 1, Named("a"));
  EXPECT_EQ(peer.Last(Event::kFailed, 0).refusal.status.code(), absl::StatusCode::kAborted);
  world.Send(peer, 1, 0, Values(0, 1));
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
  EXPECT_EQ(peer.Last().handle, 1);
}

TEST(OpenTest, MayUseAFencedHandleAgain) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Open(peer, 1, Named("a"));
  world.Open(peer, 0, Named("b"));
  world.Send(peer, 0, 0, Values(0, 1));
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
  EXPECT_EQ(peer.Last().handle, 0);
}

TEST(OpenTest, UnderAHandleInUseIsRefused) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Open(peer, 0, Named("b"));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(peer.Last().refusal.field, "open.handle");
  EXPECT_EQ(world.shard().counters().sessions_refused.value(), 1u);
  world.Send(peer, 0, 0, Values(0, 1));
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
  EXPECT_TRUE(absl::IsNotFound(world.Get("b").refusal->status));
}

TEST(OpenTest, PinsTheModelAtCreation) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.model = "sum";
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().opened.model->id, "sum:2");
  request.model = "sum:1";
  world.Open(peer, 1, request);
  EXPECT_EQ(peer.Last(Event::kFailed, 1).refusal.reason, "STATE_SCHEMA");
  request.model = "";
  world.Open(peer, 2, request);
  EXPECT_EQ(peer.Last().opened.model->id, "sum:2");
}

TEST(OpenTest, OfAnUnknownModelIsRefusedNamingThoseThereAre) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.model = "nothing";
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(peer.Last().refusal.reason, "MODEL_NOT_FOUND");
  EXPECT_THAT(std::string(peer.Last().refusal.status.message()), HasSubstr("sum:1"));
}

TEST(OpenTest, WithOtherChannelsThanAtCreationIsRefused) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.channels = 2;
  world.Open(peer, 0, request);
  request.channels = 3;
  world.Open(peer, 1, request);
  EXPECT_EQ(peer.Last().refusal.field, "open.channels");
  request.channels = 0;
  world.Open(peer, 2, request);
  EXPECT_EQ(peer.Last().opened.channels, 2);
}

TEST(OpenTest, WithTooManyChannelsIsRefused) {
  World world(ShardOptions{.max_channels = 4});
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.channels = 5;
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.field, "open.channels");
}

TEST(OpenTest, WithOutputsTheModelCannotGiveIsRefusedByName) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.output.horizons = {1, 5};
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.field, "open.output.horizons[1]");
  request.output.horizons = {};
  request.output.quantiles = {0.1f, 0.9999f};
  world.Open(peer, 1, request);
  EXPECT_EQ(peer.Last().refusal.field, "open.output.quantiles[1]");
}

TEST(OpenTest, WithABadOutputLeavesTheWriterOfAnExistingSessionAlone) {
  World world;
  FakePeer writer, other;
  world.Open(writer, 0, Named("a"));
  session::OpenRequest request = Named("a");
  request.output.horizons = {9};
  world.Open(other, 0, request);
  EXPECT_EQ(other.Last().refusal.field, "open.output.horizons[0]");
  world.Send(writer, 0, 0, Values(0, 1));
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
}

TEST(OpenTest, OfABadIdIsRefused) {
  World world;
  FakePeer peer;
  session::Handle handle = 0;
  for (const std::string& id : {std::string(), std::string(129, 'x'), std::string("a\nb"), std::string("\xc3\xa4")}) {
    world.Open(peer, handle, Named(id));
    EXPECT_EQ(peer.Last().refusal.field, "open.session_id") << id;
    ++handle;
  }
  world.Open(peer, handle, Named(std::string(128, 'x')));
  EXPECT_EQ(peer.Last().kind, Event::kOpened);
}

TEST(OpenTest, WithAStepThatIsNotPositiveIsRefused) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.regular_times = session::RegularTimes{5, 0};
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.field, "open.regular_times.step_ns");
}

TEST(OpenTest, BeyondTheSessionsOfAStreamIsRefused) {
  World world(ShardOptions{.max_sessions_per_stream = 2});
  FakePeer peer, other;
  world.Open(peer, 0, Named("a"));
  world.Open(peer, 1, Named("b"));
  world.Open(peer, 2, Named("c"));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(peer.Last().refusal.quota, "sessions_per_stream");
  EXPECT_EQ(world.shard().counters().sessions_refused.value(), 1u);
  world.Open(other, 2, Named("c"));
  EXPECT_EQ(other.Last().kind, Event::kOpened);
}

// A stream opens a missing session under ever new handles.
class ManyRefusedOpensTest : public testing::Test {
 protected:
  static constexpr session::Handle kOpens = 10'000;

  ManyRefusedOpensTest() : world_(ShardOptions{.max_sessions_per_stream = 2}) {
    session::OpenRequest request = Named("ghost");
    request.mode = session::OpenMode::kResume;
    for (session::Handle handle = 0; handle < kOpens; ++handle) {
      while (!world_.shard().AdmitsOpen(peer_)) world_.Settle();
      world_.shard().Open(peer_, handle, request);
    }
    world_.Settle();
  }

  World world_;
  FakePeer peer_;
};

TEST_F(ManyRefusedOpensTest, KeepNoHandleOpen) {
  EXPECT_EQ(peer_.events.size(), kOpens);
  EXPECT_FALSE(world_.shard().HasHandles(peer_));
  world_.Open(peer_, kOpens, Named("a"));
  EXPECT_EQ(peer_.Last().kind, Event::kOpened);
}

TEST_F(ManyRefusedOpensTest, AreRememberedForTheFirstHandlesOnly) {
  world_.Send(peer_, 0, 0, Values(0, 1));
  EXPECT_EQ(peer_.events.size(), kOpens);  // dropped silently
  world_.Send(peer_, kOpens - 1, 0, Values(0, 1));
  EXPECT_EQ(peer_.Last().refusal.reason, "HANDLE_NOT_FOUND");
}

TEST_F(ManyRefusedOpensTest, MakeRoomForOthersWhenTheirHandlesAreClosed) {
  for (session::Handle handle = 0; handle < kOpens; ++handle) world_.shard().Close(peer_, handle, false, std::nullopt);
  session::OpenRequest request = Named("ghost");
  request.mode = session::OpenMode::kResume;
  world_.Open(peer_, kOpens, request);
  const size_t events = peer_.events.size();
  world_.Send(peer_, kOpens, 0, Values(0, 1));
  EXPECT_EQ(peer_.events.size(), events);
}

// How many refused handles below `opens` the shard remembers: tokens for a remembered handle are dropped silently.
size_t Remembered(World& world, FakePeer& peer, session::Handle opens) {
  const size_t before = peer.events.size();
  for (session::Handle handle = 0; handle < opens; ++handle) {
    session::TokensView tokens;
    tokens.handle = handle;
    world.shard().Tokens(peer, tokens);
  }
  return opens - (peer.events.size() - before);
}

TEST(OpenTest, RefusedHandlesOfManyStreamsAreRememberedInPart) {
  constexpr session::Handle kOpens = 4096;
  World world;
  std::vector<FakePeer> peers(100);
  for (FakePeer& peer : peers) {
    for (session::Handle handle = 0; handle < kOpens; ++handle) world.shard().Open(peer, handle, Named(""));
  }
  size_t all = 0;
  for (FakePeer& peer : peers) all += Remembered(world, peer, kOpens);
  EXPECT_LE(all, 65'536);
  for (FakePeer& peer : peers) world.shard().Disconnect(peer);
  FakePeer next;
  for (session::Handle handle = 0; handle < kOpens; ++handle) world.shard().Open(next, handle, Named(""));
  EXPECT_EQ(Remembered(world, next, kOpens), kOpens);
}

TEST(OpenTest, OfOneIdByTwoTenantsAreTwoSessions) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.tenant = "t1";
  world.Open(peer, 0, request);
  request.tenant = "t2";
  world.Open(peer, 1, request);
  EXPECT_TRUE(peer.Last().opened.created);
  world.Send(peer, 0, 0, Values(0, 1));
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
}

TEST(OpenTest, AnswersWithItsNumber) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.attempt.number = 77;
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().opened.number, 77);
}

TEST(OpenTest, WithAModelNameOfAnyLengthIsRefusedInAFewWords) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.model = std::string(4 << 20, 'm');
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.field, "open.model");
  EXPECT_LT(peer.Last().refusal.status.message().size(), 200);
}

}  // namespace
}  // namespace aaren::shard
