// Sessions of events on a serving engine: forecasts, refusals, saves, moves, and overdue events.

#include "server/sessions/task/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "model/engine/cpu/cpu_engine.h"
#include "tests/model/engine/events/random_events.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using testing::HasSubstr;

constexpr size_t kEvents = 120;
constexpr int64_t kSecond = 1'000'000'000;

std::unique_ptr<models::ModelTable> EventModel() {
  auto models = std::make_unique<models::ModelTable>();
  package::ModelPackage package = events::RandomEventPackage(5);
  package.digest = "random";
  auto engine = engine::NewCpuEngine(package);
  EXPECT_TRUE(engine.ok());
  std::unique_ptr<engine::Engine> made = *std::move(engine);
  if (getenv("AAREN_LATE_ENGINE") != nullptr) made = std::make_unique<LateEngine>(std::move(made));
  EXPECT_TRUE(models->Add(std::move(package), std::move(made)).ok());
  return models;
}

session::OpenRequest NamedEvents(const std::string& id, uint64_t delivered_seq = 0) {
  session::OpenRequest request = Named(id, delivered_seq);
  request.output.surprise = true;
  return request;
}

class EventsTest : public testing::Test {
 protected:
  // Sends events [begin, end) of the stream in items of `count`.
  void Send(World& world, FakePeer& peer, uint64_t begin, uint64_t end, size_t count, int shard = 0) {
    for (uint64_t seq = begin; seq < end; seq += count) SendItem(world, peer, seq, std::min(end, seq + count), shard);
  }

  void SendItem(World& world, FakePeer& peer, uint64_t begin, uint64_t end, int shard = 0) {
    std::vector<int64_t> times;
    std::vector<uint32_t> marks;
    for (uint64_t seq = begin; seq < end; ++seq) {
      times.push_back(stream_[seq].time_ns);
      marks.push_back(static_cast<uint32_t>(stream_[seq].mark));
    }
    session::TokensView tokens;
    tokens.handle = 0;
    tokens.first_seq = begin;
    tokens.times_ns = times;
    tokens.marks = marks;
    tokens.delivered_seq = begin;
    world.shard(shard).Tokens(peer, tokens);
    world.Settle();
  }

  // The refusal of a new session's first item.
  session::Refusal RefusalOf(const task::TokenNumbers& numbers) {
    World world({.save_interval = kInterval}, 1, nullptr, EventModel());
    FakePeer peer;
    world.Open(peer, 0, NamedEvents("a"));
    session::TokensView tokens;
    static_cast<task::TokenNumbers&>(tokens) = numbers;
    world.shard().Tokens(peer, tokens);
    world.Settle();
    return peer.Last().refusal;
  }

  session::Refusal OpenRefusal(const session::OpenRequest& request) {
    World world({.save_interval = kInterval}, 1, nullptr, EventModel());
    FakePeer peer;
    world.Open(peer, 0, request);
    return peer.Last().refusal;
  }

  // All forecasts of a session fed by a single item.
  std::vector<std::vector<float>> Undisturbed() {
    World world({.save_interval = kInterval}, 1, nullptr, EventModel());
    FakePeer peer;
    world.Open(peer, 0, NamedEvents("a"));
    Send(world, peer, 0, kEvents, kEvents);
    return peer.Forecasts(0);
  }

  void ExpectBits(const std::vector<std::vector<float>>& got, uint64_t from) {
    const std::vector<std::vector<float>> all = Undisturbed();
    ASSERT_EQ(got.size(), all.size() - from);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(std::memcmp(got[i].data(), all[from + i].data(), got[i].size() * sizeof(float)), 0) << i;
    }
  }

  std::vector<events::Event> stream_ = events::HardEvents(1, kEvents);
};

TEST_F(EventsTest, AnySplitGivesTheSameBits) {
  World world({.save_interval = kInterval}, 1, nullptr, EventModel());
  FakePeer peer;
  world.Open(peer, 0, NamedEvents("a"));
  Send(world, peer, 0, kEvents, 7);
  ExpectBits(peer.Forecasts(0), 0);
}

TEST_F(EventsTest, GoingBackToASaveGivesTheSameBits) {
  World world({.save_interval = kInterval}, 2, nullptr, EventModel());
  FakePeer peer, again;
  world.Open(peer, 0, NamedEvents("a"));
  Send(world, peer, 0, 40, 10);
  world.Advance(kInterval);
  Send(world, peer, 40, 80, 10);
  world.Open(again, 0, NamedEvents("a", 50), 1);
  ASSERT_EQ(again.Last().opened.next_seq, 40);
  Send(world, again, 40, kEvents, 10, 1);
  ExpectBits(again.Forecasts(0), 40);
}

TEST_F(EventsTest, AForkGoesOnWithTheSameBits) {
  World world({.save_interval = kInterval}, 1, nullptr, EventModel());
  FakePeer peer, other;
  world.Open(peer, 0, NamedEvents("a"));
  Send(world, peer, 0, 60, 10);
  ASSERT_FALSE(world.Fork("a", "b").refusal.has_value());
  world.Open(other, 0, NamedEvents("b", 60));
  Send(world, other, 60, kEvents, 10);
  ExpectBits(other.Forecasts(0), 60);
}

TEST_F(EventsTest, AnExportIsImportedElsewhere) {
  World world({.save_interval = kInterval}, 1, nullptr, EventModel());
  FakePeer peer, other;
  world.Open(peer, 0, NamedEvents("a"));
  Send(world, peer, 0, 60, 10);
  const session::Outcome<registrar::Snapshot> snapshot = world.Export("a");
  World elsewhere({.save_interval = kInterval}, 1, nullptr, EventModel());
  ASSERT_FALSE(elsewhere.Import("b", snapshot.value.bytes, false).refusal.has_value());
  elsewhere.Open(other, 0, NamedEvents("b", 60));
  Send(elsewhere, other, 60, kEvents, 10);
  ExpectBits(other.Forecasts(0), 60);
}

TEST_F(EventsTest, TimesThatGoBackAreRefusedAndNothingIsFolded) {
  World world({.save_interval = kInterval}, 1, nullptr, EventModel());
  FakePeer peer;
  world.Open(peer, 0, NamedEvents("a"));
  Send(world, peer, 0, 10, 10);
  std::swap(stream_[10].time_ns, stream_[0].time_ns);
  Send(world, peer, 10, 12, 2);
  EXPECT_EQ(peer.Last().refusal.field, "tokens.times_ns[0]");
  EXPECT_EQ(peer.Last().expected_seq, 10u);
  std::swap(stream_[10].time_ns, stream_[0].time_ns);
  Send(world, peer, 10, kEvents, 10);
  ExpectBits(peer.Forecasts(0), 0);
}

TEST_F(EventsTest, OtherNumbersAreRefusedByName) {
  const float values[] = {1};
  const int64_t times[] = {1};
  const uint32_t marks[] = {1};
  EXPECT_EQ(RefusalOf({.values = values}).field, "tokens.values");
  EXPECT_EQ(RefusalOf({.marks = marks}).field, "tokens.times_ns");
  EXPECT_EQ(RefusalOf({.times_ns = times}).field, "tokens.marks");
}

TEST_F(EventsTest, TwoChannelsAreRefused) {
  session::OpenRequest request = NamedEvents("a");
  request.channels = 2;
  EXPECT_EQ(OpenRefusal(request).field, "open.channels");
}

TEST_F(EventsTest, RegularTimesAreRefused) {
  session::OpenRequest request = NamedEvents("a");
  request.regular_times = session::RegularTimes{0, 1};
  EXPECT_EQ(OpenRefusal(request).field, "open.regular_times");
}

TEST_F(EventsTest, AForecasterRefusesMarksAndOptionsOfEvents) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.output.events = task::EventRequest{.marks = 1};
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.field, "open.output.events");
  request = Named("a");
  request.output.scale.unit_ns = 1;
  world.Open(peer, 1, request);
  EXPECT_EQ(peer.Last().refusal.field, "open.event_scale");
  world.Open(peer, 0, Named("a"));
  SendItem(world, peer, 0, 1);
  EXPECT_EQ(peer.Last().refusal.field, "tokens.marks");
}

TEST_F(EventsTest, AnotherModelTakesNoSessionOfEvents) {
  auto models = EventModel();
  package::ModelPackage other = events::RandomEventPackage(6);
  other.name = "other";
  other.digest = "other";
  auto engine = engine::NewCpuEngine(other);
  ASSERT_TRUE(models->Add(std::move(other), *std::move(engine)).ok());
  World world({.save_interval = kInterval}, 1, nullptr, std::move(models));
  FakePeer peer;
  world.Open(peer, 0, NamedEvents("a"));
  Send(world, peer, 0, 10, 10);
  const session::Outcome<registrar::Snapshot> snapshot = world.Export("a");
  const auto imported = world.Import("b", {.snapshot = snapshot.value.bytes, .model = "other", .over = {}});
  ASSERT_TRUE(imported.refusal.has_value());
  EXPECT_THAT(std::string(imported.refusal->status.message()), HasSubstr("stay with their model"));
}

// The stream has an event a second.
class OverdueEventsTest : public EventsTest {
 protected:
  OverdueEventsTest() : world_({.save_interval = kInterval}, 2, nullptr, EventModel()) {
    for (size_t i = 0; i < kEvents; ++i) stream_[i] = {static_cast<int64_t>(i) * kSecond, i % 3};
  }

  void Open(FakePeer& peer, uint64_t delivered_seq = 0, int shard = 0) {
    session::OpenRequest request = NamedEvents("a", delivered_seq);
    request.output.events = task::EventRequest{.overdue = 0.9f};
    world_.Open(peer, 0, request, shard);
  }

  // After how many seconds without an event since `seq` - 1 the event `seq` is overdue.
  double WaitFor(uint64_t seq) {
    task::OutputRequest request;
    request.events = task::EventRequest{.overdue = 0.9f};
    const task::EventConversion conversion;
    return *conversion.SecondsUntilOverdue(Undisturbed()[seq - 1].data(), conversion.Resolve(request).plan);
  }

  size_t Told(const FakePeer& peer) const { return peer.Count(FakePeer::Event::kOverdue, 0); }

  World world_;
  FakePeer peer_;
};

TEST_F(OverdueEventsTest, AMissingEventIsToldOnceAtItsTime) {
  Open(peer_);
  Send(world_, peer_, 0, 20, 5);
  const absl::Duration wait = absl::Seconds(WaitFor(20));
  world_.Advance(wait - absl::Milliseconds(10));
  EXPECT_EQ(Told(peer_), 0u);
  world_.Advance(absl::Milliseconds(20));
  ASSERT_EQ(Told(peer_), 1u);
  const session::OverdueReply& told = peer_.Last(FakePeer::Event::kOverdue, 0).overdue;
  EXPECT_EQ(told.next_seq, 20u);
  EXPECT_NEAR(static_cast<double>(told.time_ns) * 1e-9, 19 + absl::ToDoubleSeconds(wait), 1e-6);
  EXPECT_NEAR(told.probability, 0.1f, 1e-6);
  world_.Advance(absl::Hours(1000));
  EXPECT_EQ(Told(peer_), 1u);
}

TEST_F(OverdueEventsTest, TheNextEventBeginsAnew) {
  Open(peer_);
  Send(world_, peer_, 0, 20, 5);
  world_.Advance(absl::Seconds(WaitFor(20)) + absl::Milliseconds(10));
  Send(world_, peer_, 20, 21, 1);
  world_.Advance(absl::Seconds(WaitFor(21)) + absl::Milliseconds(10));
  EXPECT_EQ(Told(peer_), 2u);
  EXPECT_EQ(peer_.Last(FakePeer::Event::kOverdue, 0).overdue.next_seq, 21u);
}

TEST_F(OverdueEventsTest, NobodyIsToldWithoutAsking) {
  world_.Open(peer_, 0, NamedEvents("a"));
  Send(world_, peer_, 0, 20, 5);
  world_.Advance(absl::Hours(1000));
  EXPECT_EQ(Told(peer_), 0u);
}

TEST_F(OverdueEventsTest, ASilentHistoryIsFollowedByAWatch) {
  Open(peer_);
  std::vector<int64_t> times;
  std::vector<uint32_t> marks;
  for (size_t i = 0; i < 20; ++i) {
    times.push_back(stream_[i].time_ns);
    marks.push_back(static_cast<uint32_t>(stream_[i].mark));
  }
  session::TokensView tokens;
  tokens.times_ns = times;
  tokens.marks = marks;
  tokens.silent = true;
  world_.shard().Tokens(peer_, tokens);
  world_.Settle();
  world_.Advance(absl::Seconds(WaitFor(20)) + absl::Milliseconds(10));
  EXPECT_EQ(Told(peer_), 1u);
}

TEST_F(OverdueEventsTest, AnotherServersStreamIsToldAfterItsOpen) {
  Open(peer_);
  Send(world_, peer_, 0, 20, 5);
  world_.Advance(kInterval);
  FakePeer other;
  Open(other, 20, 1);
  world_.Advance(absl::Seconds(WaitFor(20)) + absl::Milliseconds(10));
  EXPECT_EQ(Told(peer_), 0u) << "its session was taken";
  EXPECT_EQ(Told(other), 1u);
}

TEST_F(OverdueEventsTest, AClosedSessionIsNotWatched) {
  Open(peer_);
  Send(world_, peer_, 0, 20, 5);
  world_.shard().Close(peer_, 0, false, 20);
  world_.Settle();
  world_.Advance(absl::Hours(1000));
  EXPECT_EQ(Told(peer_), 0u);
}

TEST_F(OverdueEventsTest, AClientThatDoesNotReadIsToldLater) {
  Open(peer_);
  Send(world_, peer_, 0, 20, 5);
  peer_.has_room = false;
  world_.Advance(absl::Seconds(WaitFor(20)) + absl::Milliseconds(10));
  EXPECT_EQ(Told(peer_), 0u);
  peer_.has_room = true;
  world_.Advance(absl::Seconds(1));
  EXPECT_EQ(Told(peer_), 1u);
}

TEST(OverdueSessionTest, ADemotedSessionIsWatched) {
  World world({.max_resident_bytes = 0, .save_interval = kInterval}, 1, nullptr, EventModel());
  FakePeer peer;
  session::OpenRequest request = NamedEvents("a");
  request.output.events = task::EventRequest{.overdue = 0.9f};
  world.Open(peer, 0, request);
  std::vector<int64_t> times;
  for (int64_t i = 0; i < 20; ++i) times.push_back(i * kSecond);
  const std::vector<uint32_t> marks(times.size(), 1);
  session::TokensView tokens;
  tokens.times_ns = times;
  tokens.marks = marks;
  tokens.delivered_seq = 0;
  world.shard().Tokens(peer, tokens);
  world.Settle();
  for (int i = 0; i < 10; ++i) world.Advance(kInterval);
  world.shard().Tick();
  EXPECT_EQ(world.shard().counters().sessions_demoted.value(), 1u);
  for (int i = 0; i < 100 && peer.Count(FakePeer::Event::kOverdue, 0) == 0; ++i) world.Advance(absl::Minutes(10));
  EXPECT_EQ(peer.Count(FakePeer::Event::kOverdue, 0), 1u);
  EXPECT_EQ(world.shard().counters().sessions_demoted.value(), 1u) << "the row stays in the store";
}

}  // namespace
}  // namespace aaren::shard
