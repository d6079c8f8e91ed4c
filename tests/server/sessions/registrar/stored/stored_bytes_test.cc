#include "server/sessions/registrar/stored/stored_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/identity/accounts/account.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::registrar {
namespace {

using ::testing::HasSubstr;
using Event = shard::FakePeer::Event;

constexpr uint64_t kRow = 64;  // a FakeEngine's row bytes
constexpr uint64_t kSession = StoredBytes::kBesideRows + kRow;

class StoredBytesTest : public ::testing::Test {
 protected:
  // The caller's account, from now on.
  void Limit(uint64_t stored_bytes) {
    account_.SetLimits({.stored_bytes = stored_bytes});
    peer_.account = &account_;
  }

  // Leaves a session in the store, saved once and open nowhere.
  void Store(const std::string& id) {
    shard::FakePeer peer;
    world_.Open(peer, 0, shard::Named(id));
    world_.Send(peer, 0, 0, shard::Values(0, 1));
    world_.Advance(shard::kInterval);
    world_.shard().Disconnect(peer);
    world_.Settle();
  }

  const Event& Open(const std::string& id) {
    world_.Open(peer_, next_handle_++, shard::Named(id));
    return peer_.Last();
  }

  bool Opens(const std::string& id) { return Open(id).kind == Event::kOpened; }

  session::Outcome<session::SessionInfo> Import(const std::string& id, const std::string& snapshot, bool replace) {
    return world_.Import(
        id, {.snapshot = snapshot, .model = "", .over = {.replace = replace, .epoch = {}, .account = &account_}});
  }

  identity::Account account_{""};
  shard::World world_{shard::ShardOptions{.capacity_rows = 512, .save_interval = shard::kInterval}};
  shard::FakePeer peer_;
  session::Handle next_handle_ = 0;
};

TEST_F(StoredBytesTest, ASessionTooManyIsRefusedByItsLimit) {
  Limit(2 * kSession);
  EXPECT_TRUE(Opens("a"));
  EXPECT_TRUE(Opens("b"));
  const Event& refused = Open("c");
  ASSERT_EQ(refused.kind, Event::kFailed);
  EXPECT_TRUE(absl::IsResourceExhausted(refused.refusal.status));
  EXPECT_THAT(refused.refusal.quota, HasSubstr("/stored_bytes"));
  EXPECT_TRUE(refused.refusal.retry_after.has_value());
  EXPECT_EQ(account_.limited(identity::Account::Limit::kStored), 1u);
}

TEST_F(StoredBytesTest, WhatWasThereBeforeCounts) {
  for (const char* id : {"a", "b", "c"}) Store(id);
  Limit(3 * kSession);
  EXPECT_TRUE(Opens("a"));
  EXPECT_FALSE(Opens("d"));
}

TEST_F(StoredBytesTest, SessionsThatAreThereAreOpenedBeyondTheLimit) {
  Store("a");
  Store("b");
  Limit(1);
  EXPECT_TRUE(Opens("a"));
  EXPECT_FALSE(Opens("c"));
  EXPECT_TRUE(Opens("b"));
}

TEST_F(StoredBytesTest, DeletedSessionsMakeRoom) {
  Limit(2 * kSession);
  EXPECT_TRUE(Opens("a"));
  EXPECT_TRUE(Opens("b"));
  EXPECT_FALSE(world_.Delete("a").refusal);
  world_.Advance(absl::Seconds(2));
  EXPECT_FALSE(Opens("c"));  // the refusal starts a new count of the store
  EXPECT_TRUE(Opens("c"));
}

TEST_F(StoredBytesTest, ImportsAndForksCount) {
  Limit(3 * kSession);
  EXPECT_TRUE(Opens("a"));
  world_.Send(peer_, 0, 0, shard::Values(0, 2));
  const std::string snapshot = world_.Export("a").value.bytes;
  EXPECT_FALSE(Import("b", snapshot, false).refusal);
  EXPECT_FALSE(world_.Fork("a", "c", &account_).refusal);
  EXPECT_TRUE(absl::IsResourceExhausted(Import("d", snapshot, false).refusal.value().status));
  EXPECT_TRUE(absl::IsResourceExhausted(world_.Fork("a", "e", &account_).refusal.value().status));
  EXPECT_FALSE(Import("b", snapshot, true).refusal);  // in the place of another
}

TEST_F(StoredBytesTest, ManyPagesAreSummed) {
  constexpr int kSessions = 300;
  for (int i = 0; i < kSessions; ++i) Store(absl::StrCat("s", i));
  Limit(1'000'000);
  EXPECT_TRUE(Opens("s0"));
  EXPECT_EQ(account_.stored_bytes.value(), kSessions * kSession);
}

TEST_F(StoredBytesTest, IsCountedAnewAfterAMinute) {
  Store("a");
  Store("b");
  Limit(1'000'000);
  EXPECT_TRUE(Opens("a"));
  EXPECT_FALSE(world_.Delete("b").refusal);
  EXPECT_EQ(account_.stored_bytes.value(), 2 * kSession);
  world_.Advance(absl::Seconds(62));
  EXPECT_EQ(account_.stored_bytes.value(), kSession);
}

TEST_F(StoredBytesTest, AStoreThatIsAwayLeavesTheCountAsItWas) {
  Store("a");
  Limit(2 * kSession);
  EXPECT_TRUE(Opens("a"));
  world_.store().FailAll(true);
  world_.Advance(absl::Seconds(62));
  world_.store().FailAll(false);
  EXPECT_EQ(account_.stored_bytes.value(), kSession);
  world_.Advance(absl::Seconds(62));
  EXPECT_TRUE(Opens("b"));
  EXPECT_FALSE(Opens("c"));
}

TEST_F(StoredBytesTest, ACountThatFailedIsMadeAgainASecondLater) {
  Store("a");
  Store("b");
  Limit(2 * kSession);
  world_.store().FailAll(true);
  EXPECT_FALSE(Opens("a"));
  world_.store().FailAll(false);
  world_.Advance(absl::Seconds(2));
  EXPECT_EQ(account_.stored_bytes.value(), 2 * kSession);
}

TEST_F(StoredBytesTest, ATenantThatWasAwayForLongIsNotAllowedMore) {
  constexpr int kSessions = 200;  // two pages
  for (int i = 0; i < kSessions; ++i) Store(absl::StrCat("s", i));
  Limit(kSessions * kSession);
  EXPECT_TRUE(Opens("s0"));
  world_.Advance(absl::Minutes(30));
  EXPECT_FALSE(Opens("new"));
}

TEST_F(StoredBytesTest, NothingIsCountedForATenantThatIsAway) {
  Store("a");
  Limit(1'000'000);
  EXPECT_TRUE(Opens("a"));
  world_.Advance(absl::Minutes(11));
  int lists = 0;
  world_.store().OnList([&] { ++lists; });
  for (int i = 0; i < 5; ++i) world_.Advance(absl::Minutes(2));
  EXPECT_EQ(lists, 0);
}

// A tenant at the limit must not keep the store busy with repeated Opens.
TEST_F(StoredBytesTest, ACountThatTakesLongIsMadeSeldom) {
  Limit(1);
  int lists = 0;
  world_.store().OnList([&] {
    ++lists;
    world_.clock().Advance(absl::Seconds(2));
  });
  for (int second = 0; second < 60; ++second) {
    EXPECT_FALSE(Opens("a"));
    world_.clock().Advance(absl::Seconds(1));
  }
  EXPECT_GT(lists, 1);
  EXPECT_LE(lists, 4);
}

// The Opens arrive while the first count reads its pages.
TEST_F(StoredBytesTest, AFloodOfOpensAfterAStartIsCounted) {
  constexpr int kSessions = 300, kFree = 5, kOpens = 50;
  for (int i = 0; i < kSessions; ++i) Store(absl::StrCat("s", i));
  Limit((kSessions + kFree) * kSession);
  for (int i = 0; i < kOpens; ++i) world_.shard().Open(peer_, next_handle_++, shard::Named(absl::StrCat("n", i)));
  world_.Settle();
  const auto opened = std::count_if(peer_.events.begin(), peer_.events.end(),
                                    [](const Event& event) { return event.kind == Event::kOpened; });
  EXPECT_EQ(opened, kFree);
  EXPECT_EQ(peer_.events.size(), size_t{kOpens});
}

TEST_F(StoredBytesTest, ANewSessionThatCannotBeCountedIsRefusedAsTheStoreIs) {
  identity::Account other("");
  other.SetLimits({.stored_bytes = 1'000'000});
  peer_.account = &other;
  int lists = 0;
  world_.store().OnList([&] { world_.store().FailAll(++lists == 1); });
  const Event& refused = Open("a");
  ASSERT_EQ(refused.kind, Event::kFailed);
  EXPECT_TRUE(absl::IsUnavailable(refused.refusal.status));
  world_.store().FailAll(false);
  EXPECT_TRUE(Opens("a"));
}

TEST_F(StoredBytesTest, TenantsThatShareAnAccountAreEachAllowedAsMuch) {
  identity::Account shared("*");
  shared.SetLimits({.stored_bytes = kSession});
  peer_.account = &shared;
  session::OpenRequest request = shard::Named("a");
  for (const char* tenant : {"t1", "t2"}) {
    request.tenant = tenant;
    world_.Open(peer_, next_handle_++, request);
    EXPECT_EQ(peer_.Last().kind, Event::kOpened) << tenant;
  }
  request.session_id = "b";
  world_.Open(peer_, next_handle_++, request);
  EXPECT_EQ(peer_.Last().kind, Event::kFailed);
}

TEST_F(StoredBytesTest, WithoutALimitNothingIsCounted) {
  Store("a");
  Limit(0);
  EXPECT_TRUE(Opens("a"));
  EXPECT_EQ(account_.stored_bytes.value(), 0u);
}

}  // namespace
}  // namespace aaren::registrar
