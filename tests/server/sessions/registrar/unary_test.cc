// Get, List, Export, Import, Fork and Delete.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "server/store/format/snapshot.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::registrar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Event = shard::FakePeer::Event;

class UnaryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.Open(writer_, 0, shard::Named("a"));
    world_.Send(writer_, 0, 0, shard::Values(0, 5));
  }

  // The forecast of token `seq` after Values from 0 to `seq`.
  std::vector<float> ForecastAt(uint64_t seq) { return world_.engine().Forecasts(shard::Values(0, seq + 1))[seq]; }

  // Opens session `id`, sends token `seq`, and returns the forecast.
  std::vector<float> Continue(const std::string& id, uint64_t seq) {
    shard::FakePeer peer;
    world_.Open(peer, 0, shard::Named(id));
    EXPECT_EQ(peer.Last().opened.next_seq, seq);
    world_.Send(peer, 0, seq, shard::Values(seq, 1));
    const auto forecasts = peer.Forecasts(0);
    world_.shard().Disconnect(peer);
    return forecasts.empty() ? std::vector<float>() : forecasts[0];
  }

  shard::World world_{shard::ShardOptions{.capacity_rows = 8, .save_interval = shard::kInterval}};
  shard::FakePeer writer_;
};

TEST_F(UnaryTest, GetTellsAboutAnAttachedSession) {
  const session::SessionInfo info = world_.Get("a").value;
  EXPECT_EQ(info.session_id, "a");
  EXPECT_EQ(info.epoch, writer_.events[0].opened.epoch);
  EXPECT_EQ(info.incarnation, writer_.events[0].opened.incarnation);
  EXPECT_EQ(info.next_seq, 5);
  EXPECT_EQ(info.origin.model, "sum:1");
  EXPECT_EQ(info.origin.tier, "exact");
  EXPECT_EQ(info.origin.channels, 1);
  EXPECT_EQ(info.state_bytes, 64);
  EXPECT_TRUE(info.attached);
  EXPECT_TRUE(info.resident);
}

TEST_F(UnaryTest, GetTellsAboutASessionAtRest) {
  world_.Advance(shard::kInterval);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store());
  const session::SessionInfo info = restarted.Get("a").value;
  EXPECT_EQ(info.next_seq, 5);
  EXPECT_EQ(info.durable_seq, 5);
  EXPECT_EQ(info.state_bytes, 64);
  EXPECT_FALSE(info.attached);
  EXPECT_FALSE(info.resident);
}

TEST_F(UnaryTest, GetOfNoSessionIsNotFound) {
  const session::Outcome<session::SessionInfo> info = world_.Get("nobody");
  EXPECT_EQ(info.refusal->status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(info.refusal->reason, "SESSION_NOT_FOUND");
  EXPECT_THAT(std::string(info.refusal->status.message()), HasSubstr("nobody"));
}

TEST_F(UnaryTest, ListGoesThroughAllPagesInOrder) {
  for (session::Handle handle = 1; handle < 7; ++handle)
    world_.Open(writer_, handle, shard::Named(absl::StrCat("p", handle)));
  std::vector<std::string> ids;
  std::string token;
  size_t pages = 0;
  do {
    const session::Outcome<SessionPage> page = world_.List("p", token, 4);
    for (const session::SessionInfo& info : page.value.sessions) ids.push_back(info.session_id);
    token = page.value.next_page_token;
    ++pages;
  } while (!token.empty() && pages < 10);
  EXPECT_THAT(ids, ElementsAre("p1", "p2", "p3", "p4", "p5", "p6"));
  EXPECT_EQ(pages, 2);
}

TEST_F(UnaryTest, ListKnowsSessionsThatAreNowhereSaved) {
  shard::World world(shard::ShardOptions{.save_interval = absl::ZeroDuration()});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("b"));
  world.Open(peer, 1, shard::Named("a"));
  world.Send(peer, 1, 0, shard::Values(0, 2));
  const SessionPage page = world.List("", "", 0).value;
  ASSERT_EQ(page.sessions.size(), 2);
  EXPECT_EQ(page.sessions[0].session_id, "a");
  EXPECT_EQ(page.sessions[0].next_seq, 2);
  EXPECT_TRUE(page.sessions[0].attached);
}

TEST_F(UnaryTest, ListTellsTheTruthAboutSessionsAheadOfTheirSave) {
  world_.Advance(shard::kInterval);
  world_.Send(writer_, 0, 5, shard::Values(5, 2));
  const SessionPage page = world_.List("", "", 10).value;
  ASSERT_EQ(page.sessions.size(), 1);
  EXPECT_EQ(page.sessions[0].next_seq, 7);
  EXPECT_EQ(page.sessions[0].durable_seq, 5);
}

TEST_F(UnaryTest, ListRefusesAPageTokenItDidNotGiveOut) {
  EXPECT_EQ(world_.List("", "bm9uc2Vuc2U", 10).refusal->field, "page_token");
  for (session::Handle handle = 1; handle < 4; ++handle)
    world_.Open(writer_, handle, shard::Named(absl::StrCat("p", handle)));
  const std::string token = world_.List("p", "", 1).value.next_page_token;
  EXPECT_FALSE(world_.List("p", token, 1).refusal.has_value());
  EXPECT_EQ(world_.List("q", token, 1).refusal->field, "page_token");
}

TEST_F(UnaryTest, ListRefusesAPageThatIsTooLarge) { EXPECT_EQ(world_.List("", "", 1001).refusal->field, "page_size"); }

TEST_F(UnaryTest, ExportDoesNotDisturbTheWriter) {
  EXPECT_EQ(world_.Export("a").value.next_seq, 5);
  world_.Send(writer_, 0, 5, shard::Values(5, 1));
  EXPECT_EQ(writer_.Forecasts(0)[5], ForecastAt(5));
}

TEST_F(UnaryTest, ExportAndImportContinueExactly) {
  const Snapshot snapshot = world_.Export("a").value;
  world_.Send(writer_, 0, 5, shard::Values(5, 3));
  const session::Outcome<session::SessionInfo> imported = world_.Import("b", snapshot.bytes, false);
  ASSERT_FALSE(imported.refusal.has_value());
  EXPECT_EQ(imported.value.next_seq, 5);
  EXPECT_EQ(imported.value.incarnation, imported.value.epoch);
  EXPECT_EQ(Continue("b", 5), ForecastAt(5));
}

TEST_F(UnaryTest, ExportOfASessionAtRestIsThatOfItsNewestSave) {
  world_.Advance(shard::kInterval);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store());
  EXPECT_EQ(restarted.Export("a").value.bytes, world_.Export("a").value.bytes);
}

TEST_F(UnaryTest, ExportOfASessionWithoutTokensIsTheEmptyRow) {
  world_.Open(writer_, 1, shard::Named("empty"));
  const Snapshot snapshot = world_.Export("empty").value;
  EXPECT_EQ(snapshot.next_seq, 0);
  ASSERT_FALSE(world_.Import("copy", snapshot.bytes, false).refusal.has_value());
  EXPECT_EQ(Continue("copy", 0), ForecastAt(0));
}

TEST_F(UnaryTest, ExportOfNoSessionIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(world_.Export("nobody").refusal->status));
}

TEST_F(UnaryTest, ImportOverAnExistingSessionIsRefusedUnlessItReplaces) {
  const Snapshot snapshot = world_.Export("a").value;
  EXPECT_TRUE(absl::IsAlreadyExists(world_.Import("a", snapshot.bytes, false).refusal->status));
  world_.Send(writer_, 0, 5, shard::Values(5, 3));
  EXPECT_EQ(writer_.Last().kind, Event::kForecasts);
  const session::Outcome<session::SessionInfo> replaced = world_.Import("a", snapshot.bytes, true);
  ASSERT_FALSE(replaced.refusal.has_value());
  EXPECT_GT(replaced.value.incarnation, writer_.events[0].opened.incarnation);
  EXPECT_EQ(Continue("a", 5), ForecastAt(5));
}

TEST_F(UnaryTest, ImportFencesTheWriter) {
  const session::Outcome<session::SessionInfo> imported = world_.Import("a", world_.Export("a").value.bytes, true);
  EXPECT_EQ(writer_.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(writer_.Last().refusal.metadata,
              ElementsAre(std::pair<std::string, std::string>("current_epoch", std::to_string(imported.value.epoch))));
  EXPECT_EQ(world_.shard().counters().slots_used.value(), 0);
}

TEST_F(UnaryTest, OnlyWhatIsDeletedCountsAsDeleted) {
  ASSERT_FALSE(world_.Import("a", world_.Export("a").value.bytes, true).refusal.has_value());
  EXPECT_EQ(world_.shard().counters().sessions_deleted.value(), 0);
  world_.Open(writer_, 5, shard::Named("a"));
  ASSERT_FALSE(world_.Delete("a").refusal.has_value());
  world_.Settle();
  EXPECT_EQ(world_.shard().counters().sessions_deleted.value(), 1);
}

TEST_F(UnaryTest, ADeletedSessionAtRestIsCountedOnce) {
  world_.Advance(shard::kInterval);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store());
  ASSERT_FALSE(restarted.Delete("a").refusal.has_value());
  EXPECT_TRUE(restarted.Delete("a").refusal.has_value());
  restarted.Settle();
  EXPECT_EQ(restarted.shard().counters().sessions_deleted.value(), 1u);
}

TEST_F(UnaryTest, AWriterWhoseSessionARequestTakesIsCountedApartFromThoseOfOtherServers) {
  const Snapshot snapshot = world_.Export("a").value;
  ASSERT_FALSE(world_.Import("a", snapshot.bytes, true).refusal.has_value());
  EXPECT_EQ(world_.shard().counters().sessions_taken_over.value(), 1u);
  world_.Open(writer_, 5, shard::Named("a"));
  ASSERT_FALSE(world_.Delete("a").refusal.has_value());
  EXPECT_EQ(world_.shard().counters().sessions_taken_over.value(), 2u);
  EXPECT_EQ(world_.shard().counters().sessions_fenced.value(), 0u);
}

TEST_F(UnaryTest, ImportRefusesASnapshotChangedAnywhereAndKeepsTheSession) {
  const std::string good = world_.Export("a").value.bytes;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    EXPECT_EQ(world_.Import("a", bad, true).refusal->status.code(), absl::StatusCode::kDataLoss) << "byte " << i;
  }
  world_.Send(writer_, 0, 5, shard::Values(5, 1));
  EXPECT_EQ(writer_.Forecasts(0)[5], ForecastAt(5));
}

TEST_F(UnaryTest, ImportRefusesASnapshotCutAnywhere) {
  const std::string good = world_.Export("a").value.bytes;
  for (size_t length = 0; length < good.size(); length += 7) {
    EXPECT_TRUE(absl::IsDataLoss(world_.Import("b", good.substr(0, length), false).refusal->status)) << length;
  }
}

// A snapshot from an honest server, after `change`.
template <typename Change>
std::string Changed(const std::string& bytes, Change change) {
  store::SessionSnapshot snapshot = store::ParseSnapshot(bytes).value();
  change(snapshot);
  return store::EncodeSnapshot(snapshot);
}

TEST_F(UnaryTest, ImportRefusesAnotherModelTierOrNumerics) {
  const std::string good = world_.Export("a").value.bytes;
  const auto reason = [&](const std::string& bytes) { return world_.Import("b", bytes, false).refusal->reason; };
  EXPECT_EQ(reason(Changed(good, [](store::SessionSnapshot& s) { s.origin.package_digest = "unheard of"; })),
            "STATE_SCHEMA");
  EXPECT_EQ(reason(Changed(good, [](store::SessionSnapshot& s) { s.origin.tier = "fast-amx"; })), "STATE_SCHEMA");
  EXPECT_EQ(reason(Changed(good, [](store::SessionSnapshot& s) { ++s.origin.numerics_version; })), "STATE_SCHEMA");
}

TEST_F(UnaryTest, ImportRefusesRowsThatAreNone) {
  const std::string good = world_.Export("a").value.bytes;
  const auto code = [&](const std::string& bytes) { return world_.Import("b", bytes, false).refusal->status.code(); };
  EXPECT_EQ(code(Changed(good, [](store::SessionSnapshot& s) { s.rows[0] ^= 1; })), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code(Changed(good, [](store::SessionSnapshot& s) { s.rows.pop_back(); })), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code(Changed(good, [](store::SessionSnapshot& s) { --s.point.seq; })), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code(Changed(good, [](store::SessionSnapshot& s) { s.origin.channels = 0; })),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Changed(good, [](store::SessionSnapshot& s) { s.origin.channels = 1000; })),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(UnaryTest, ImportRefusesAClockThatNoSessionHas) {
  const std::string good = world_.Export("a").value.bytes;
  const auto field = [&](const std::string& bytes) { return world_.Import("b", bytes, false).refusal->field; };
  EXPECT_EQ(field(Changed(good, [](store::SessionSnapshot& s) { s.point.clock.step_ns = -1; })), "snapshot");
  EXPECT_EQ(field(Changed(good, [](store::SessionSnapshot& s) { s.point.seq = uint64_t{1} << 62; })), "snapshot");
}

TEST_F(UnaryTest, ImportShowsOnlyTheBeginningOfADigestAndOnlyWhatCanBePrinted) {
  const std::string bytes = Changed(world_.Export("a").value.bytes, [](store::SessionSnapshot& s) {
    s.origin.package_digest = std::string(60000, '\xff');
  });
  const session::Refusal refusal = *world_.Import("b", bytes, false).refusal;
  EXPECT_THAT(std::string(refusal.status.message()), HasSubstr("\\xff\\xff"));
  EXPECT_LT(refusal.status.message().size(), 1000u);
  EXPECT_LT(refusal.metadata.at(1).second.size(), 1000u);
}

TEST_F(UnaryTest, ImportRefusesABadId) {
  EXPECT_EQ(world_.Import("", world_.Export("a").value.bytes, false).refusal->field, "session_id");
}

TEST_F(UnaryTest, ForkCopiesTheSessionAsItIs) {
  const session::Outcome<session::SessionInfo> fork = world_.Fork("a", "b");
  ASSERT_FALSE(fork.refusal.has_value());
  EXPECT_EQ(fork.value.next_seq, 5);
  EXPECT_NE(fork.value.incarnation, writer_.events[0].opened.incarnation);
  EXPECT_EQ(Continue("b", 5), ForecastAt(5));
  world_.Send(writer_, 0, 5, shard::Values(5, 1));
  EXPECT_EQ(writer_.Forecasts(0)[5], ForecastAt(5));
}

TEST_F(UnaryTest, ForkToATakenIdIsRefused) {
  world_.Open(writer_, 1, shard::Named("b"));
  EXPECT_TRUE(absl::IsAlreadyExists(world_.Fork("a", "b").refusal->status));
  EXPECT_TRUE(absl::IsAlreadyExists(world_.Fork("a", "a").refusal->status));
}

TEST_F(UnaryTest, ForkOfNoSessionIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(world_.Fork("nobody", "b").refusal->status));
}

TEST_F(UnaryTest, ForkWithoutSavingContinuesExactly) {
  shard::World world(shard::ShardOptions{.save_interval = absl::ZeroDuration()});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 3));
  ASSERT_FALSE(world.Fork("a", "b").refusal.has_value());
  world.Open(peer, 1, shard::Named("b", 3));
  EXPECT_EQ(peer.Last().opened.next_seq, 3);
  world.Send(peer, 1, 3, shard::Values(3, 1), 3);
  EXPECT_EQ(peer.Forecasts(1)[0], world.engine().Forecasts(shard::Values(0, 4))[3]);
  EXPECT_FALSE(world.store().Load("/b").ok());
}

TEST_F(UnaryTest, DeleteForgetsTheSessionAndFencesTheWriter) {
  world_.Advance(shard::kInterval);
  ASSERT_FALSE(world_.Delete("a").refusal.has_value());
  EXPECT_EQ(writer_.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(absl::IsNotFound(world_.Get("a").refusal->status));
  EXPECT_FALSE(world_.store().Load("/a").ok());
  world_.Open(writer_, 1, shard::Named("a"));
  EXPECT_TRUE(writer_.Last().opened.created);
}

TEST_F(UnaryTest, DeleteOfASessionAtRestForgetsIt) {
  world_.Advance(shard::kInterval);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store());
  EXPECT_FALSE(restarted.Delete("a").refusal.has_value());
  EXPECT_TRUE(absl::IsNotFound(restarted.Get("a").refusal->status));
}

TEST_F(UnaryTest, DeleteOfAnEpochLeavesALaterOne) {
  const uint64_t epoch = world_.Get("a").value.epoch;
  world_.Open(writer_, 1, shard::Named("a"));
  EXPECT_TRUE(absl::IsAborted(world_.Delete("a", epoch).refusal->status));
  EXPECT_FALSE(world_.Get("a").refusal.has_value());
  EXPECT_FALSE(world_.Delete("a", world_.Get("a").value.epoch).refusal.has_value());
}

TEST_F(UnaryTest, DeleteOfAnEpochLeavesALaterOneAtRest) {
  world_.Advance(shard::kInterval);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store());
  const uint64_t epoch = restarted.Get("a").value.epoch;
  EXPECT_TRUE(absl::IsAborted(restarted.Delete("a", epoch - 1).refusal->status));
  EXPECT_FALSE(restarted.Delete("a", epoch).refusal.has_value());
}

TEST_F(UnaryTest, DeleteOfNoSessionIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(world_.Delete("nobody").refusal->status));
}

TEST_F(UnaryTest, DeleteIsNotUndoneByASaveUnderWay) {
  shard::World world(shard::ShardOptions{.save_interval = shard::kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 5));
  world.registrar().Delete("", "a", {}, [](session::Outcome<std::monostate>) {});
  world.Advance(shard::kInterval);
  EXPECT_FALSE(world.store().Load("/a").ok());
}

TEST(RegistrarTest, ListsWaitForWhatElseIsAsked) {
  shard::World world;
  Registrar registrar(world.store(), world.models(), world.clock());  // without a thread
  std::vector<std::string> done;
  for (int i = 0; i < 2; ++i) {
    registrar.List("", "", "", 10, [&](const session::Outcome<SessionPage>&) { done.push_back("list"); });
  }
  registrar.Get("", "nobody", [&](const session::Outcome<session::SessionInfo>&) { done.push_back("get"); });
  while (registrar.Drain(100)) {
  }
  EXPECT_EQ(done, (std::vector<std::string>{"get", "list", "list"}));
}

TEST(RegistrarTest, ListsAreMadeHoweverMuchElseIsAsked) {
  shard::World world;
  Registrar registrar(world.store(), world.models(), world.clock());  // without a thread
  int lists = 0;
  const std::function<void()> ask = [&] {
    registrar.Get("", "nobody", [&](const session::Outcome<session::SessionInfo>&) { ask(); });  // and again
  };
  ask();
  for (int i = 0; i < 2; ++i) registrar.List("", "", "", 10, [&](const session::Outcome<SessionPage>&) { ++lists; });
  for (int i = 0; i < 4; ++i) registrar.Drain(100);
  EXPECT_EQ(lists, 2);
}

}  // namespace
}  // namespace aaren::registrar
