// Tenants share a shard by weight, and each tenant's use is counted. The clock stands: the tests compare the numbers of
// tokens answered by each step.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "absl/strings/str_cat.h"
#include "server/identity/accounts/account.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;
using ::testing::HasSubstr;

constexpr int64_t kTurn = 64;  // tokens of a session's turn, and of a tenant's turn

// A tenant's stream with a single session. The session sends as many tokens as the shard admits.
class Sender {
 public:
  Sender(World& world, identity::Account& account, const std::string& id, size_t item = 10)
      : world_(world), item_(item) {
    peer.account = &account;
    session::OpenRequest request = Named(id);
    request.tenant = account.tenant();
    world.Open(peer, 0, request);
  }

  // Sends an item of tokens. False if the shard does not admit the item.
  bool Offer() {
    if (!world_.shard().AdmitsTokens(peer, item_ * sizeof(float))) return false;
    const std::vector<float> values = Values(sent_, item_);
    session::TokensView tokens;
    tokens.first_seq = sent_;
    tokens.values = values;
    world_.shard().Tokens(peer, tokens);
    sent_ += item_;
    return true;
  }

  bool Backlogged() { return sent_ - answered() >= 2 * kTurn; }
  uint64_t answered() const {
    return peer.events.empty() || peer.Last().kind != Event::kForecasts ? 0 : peer.Last().next_seq;
  }

  FakePeer peer;

 private:
  World& world_;
  const size_t item_;
  uint64_t sent_ = 0;
};

// Tenants with ever waiting tokens.
class TenantTest : public testing::Test {
 protected:
  static ShardOptions Options() { return {.max_step_tokens = 256, .save_interval = absl::ZeroDuration()}; }

  identity::Account& Tenant(const std::string& name, uint64_t weight) {
    identity::Account& account = accounts_.emplace_back(name);
    account.SetLimits({.weight = weight});
    return account;
  }

  void Add(identity::Account& account, int streams, size_t item = 10) {
    for (int i = 0; i < streams; ++i) {
      senders_[&account].push_back(std::make_unique<Sender>(world_, account, absl::StrCat("s", i), item));
    }
  }

  uint64_t Answered(identity::Account& account) {
    uint64_t sum = 0;
    for (const auto& sender : senders_[&account]) sum += sender->answered();
    return sum;
  }

  // Every stream fills its backlog. The shard steps a slice afterwards.
  size_t Step() {
    for (auto& [account, senders] : senders_) {
      for (const auto& sender : senders) {
        while (!sender->Backlogged() && sender->Offer()) {
        }
      }
    }
    return world_.shard().Step();
  }

  std::deque<identity::Account> accounts_;
  World world_{Options()};
  std::map<identity::Account*, std::vector<std::unique_ptr<Sender>>> senders_;
};

TEST_F(TenantTest, SharesFollowTheWeightsWithinATurn) {
  identity::Account &light = Tenant("light", 1), &heavy = Tenant("heavy", 3);
  Add(light, 2);
  Add(heavy, 2);
  for (int slice = 0; slice < 200; ++slice) {
    ASSERT_GT(Step(), 0u);
    const auto a = static_cast<int64_t>(Answered(light)), b = static_cast<int64_t>(Answered(heavy));
    // A tenant is ahead by a tenant's turn and a session's turn at most: a session's turn is not cut.
    EXPECT_LE(std::abs(3 * a - b), (3 + 1) * 2 * kTurn) << "slice " << slice;
  }
  EXPECT_GT(Answered(light), 200u * 256 / 5);
}

TEST_F(TenantTest, AHundredStreamsAreNotAHundredShares) {
  identity::Account &crowd = Tenant("crowd", 1), &single = Tenant("single", 1);
  Add(crowd, 100);
  Add(single, 1);
  for (int slice = 0; slice < 100; ++slice) Step();
  EXPECT_NEAR(static_cast<double>(Answered(single)), static_cast<double>(Answered(crowd)), 2 * kTurn);
}

TEST_F(TenantTest, WhatOneLeavesTheOthersHave) {
  identity::Account &idle = Tenant("idle", 1000), &busy = Tenant("busy", 1);
  Add(idle, 1);
  Add(busy, 1);
  senders_.erase(&idle);
  for (int slice = 0; slice < 20; ++slice) EXPECT_GE(Step(), 64u);
  EXPECT_EQ(Answered(busy), busy.tokens_answered());
}

// The quiet tenant uses less than an eleventh, the tenant's share.
TEST_F(TenantTest, APingOfAnotherTenantIsAnsweredByTheNextStep) {
  identity::Account &hot = Tenant("hot", 10), &quiet = Tenant("quiet", 1);
  Add(hot, 20);
  for (int slice = 0; slice < 10; ++slice) Step();
  Sender ping(world_, quiet, "ping");
  for (int turn = 1; turn <= 50; ++turn) {
    ASSERT_TRUE(ping.Offer());
    Step();
    ASSERT_EQ(ping.answered(), 10u * turn);
  }
}

// The bursting tenant has no waiting tokens between bursts, and still owes the tokens beyond its share.
TEST_F(TenantTest, WhoPausesForAMomentGainsNothing) {
  identity::Account &steady = Tenant("steady", 1), &bursts = Tenant("bursts", 1);
  Add(steady, 1);
  Sender burst(world_, bursts, "burst", 100);
  for (int slice = 0; slice < 200; ++slice) {
    if (slice % 2 == 0) burst.Offer();
    if (slice % 2 == 0) burst.Offer();
    Step();
  }
  EXPECT_GE(Answered(steady) + 4 * kTurn, burst.answered());
}

TEST_F(TenantTest, OneTenantLeavesRoomInTheQueueForAnother) {
  identity::Account &crowd = Tenant("crowd", 1), &late = Tenant("late", 1);
  World world(ShardOptions{.max_queued_bytes = 100'000});
  std::vector<std::unique_ptr<Sender>> streams;
  for (int i = 0; i < 1000; ++i) streams.push_back(std::make_unique<Sender>(world, crowd, absl::StrCat(i)));
  Sender other(world, late, "late");
  bool any = true;
  while (any) {
    any = false;
    for (const auto& stream : streams) any |= stream->Offer();
  }
  int admitted = 0;
  while (other.Offer()) ++admitted;
  EXPECT_GT(admitted, 50);
}

TEST_F(TenantTest, OpensOfOneTenantLeaveRoomForAnothers) {
  World world(ShardOptions{.max_pending_opens = 32});
  std::deque<FakePeer> crowd(100);
  FakePeer late;
  late.account = &Tenant("late", 1);
  EXPECT_TRUE(world.shard().AdmitsOpen(late));
  identity::Account& account = Tenant("crowd", 1);
  for (FakePeer& peer : crowd) {
    peer.account = &account;
    if (!world.shard().AdmitsOpen(peer)) break;
    world.shard().Open(peer, 0, Named(absl::StrCat("s", account.sessions.value())));  // not answered yet
  }
  EXPECT_EQ(account.sessions.value(), 16u);
  EXPECT_TRUE(world.shard().AdmitsOpen(late));
  world.Settle();
  EXPECT_TRUE(world.shard().AdmitsOpen(crowd.back()));
}

TEST_F(TenantTest, SessionsOfATenantAreLimitedWhateverItsStreams) {
  identity::Account& account = Tenant("acme", 1);
  account.SetLimits({.sessions = 3});
  Add(account, 3);
  FakePeer peer;
  peer.account = &account;
  world_.Open(peer, 0, Named("another"));
  EXPECT_TRUE(absl::IsResourceExhausted(peer.Last().refusal.status));
  EXPECT_THAT(std::string(peer.Last().refusal.status.message()), HasSubstr("tenant 'acme' has 3 sessions open"));
  EXPECT_EQ(peer.Last().refusal.quota, "tenant:acme/sessions");
  EXPECT_TRUE(peer.Last().refusal.retry_after.has_value());
  EXPECT_EQ(account.limited(identity::Account::Limit::kSessions), 1u);
  EXPECT_EQ(account.sessions.value(), 3u);
}

TEST_F(TenantTest, AClosedSessionMakesRoomForAnother) {
  identity::Account& account = Tenant("acme", 1);
  account.SetLimits({.sessions = 1});
  FakePeer peer;
  peer.account = &account;
  for (session::Handle handle = 0; handle < 5; ++handle) {
    world_.Open(peer, handle, Named(absl::StrCat(handle)));
    EXPECT_EQ(peer.Last().kind, Event::kOpened);
    world_.shard().Close(peer, handle, handle % 2 == 0, std::nullopt);
    world_.Settle();
  }
  EXPECT_EQ(account.sessions.value(), 0u);
}

TEST_F(TenantTest, OpensThatAreRefusedTakeNoPlace) {
  identity::Account& account = Tenant("acme", 1);
  account.SetLimits({.sessions = 2});
  FakePeer peer;
  peer.account = &account;
  for (session::Handle handle = 0; handle < 5; ++handle) {
    session::OpenRequest request = Named("a");
    request.model = handle % 2 == 0 ? "nothing:1" : "sum:1";
    request.mode = handle % 2 == 0 ? session::OpenMode::kCreate : session::OpenMode::kResume;
    world_.Open(peer, handle, request);
    EXPECT_EQ(peer.Last().kind, Event::kFailed);
    world_.Open(peer, handle, request);  // the same handle again
  }
  EXPECT_EQ(account.sessions.value(), 0u);
}

TEST_F(TenantTest, AStreamThatLeavesGivesItsPlacesBack) {
  identity::Account& account = Tenant("acme", 1);
  account.SetLimits({.sessions = 2});
  FakePeer peer;
  peer.account = &account;
  world_.Open(peer, 0, Named("a"));
  world_.Open(peer, 1, Named("b"));
  EXPECT_EQ(account.sessions.value(), 2u);
  world_.shard().Disconnect(peer);
  EXPECT_EQ(account.sessions.value(), 0u);
}

TEST_F(TenantTest, ASessionTakenByAnotherStreamIsCountedOnceAfterwards) {
  identity::Account& account = Tenant("acme", 1);
  account.SetLimits({.sessions = 2});
  FakePeer before, after;
  before.account = after.account = &account;
  world_.Open(before, 0, Named("a"));
  world_.Open(after, 0, Named("a"));
  EXPECT_EQ(after.Last().kind, Event::kOpened);
  EXPECT_EQ(account.sessions.value(), 1u);
}

}  // namespace
}  // namespace aaren::shard
