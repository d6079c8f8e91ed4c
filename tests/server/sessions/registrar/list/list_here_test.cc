// A tenant's sessions in this process: resident sessions, and demoted sessions with a handle alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/tiers.h"

namespace aaren::registrar {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

session::OpenRequest OfTenant(const std::string& tenant, const std::string& id) {
  session::OpenRequest request = shard::Named(id);
  request.tenant = tenant;
  return request;
}

session::Outcome<HerePage> ListHere(shard::World& world, const std::string& tenant, const std::string& page_token = "",
                                    size_t page_size = 100) {
  std::optional<session::Outcome<HerePage>> page;
  std::atomic<bool> answered{false};
  world.registrar().ListHere(tenant, page_token, page_size, [&](session::Outcome<HerePage> outcome) {
    page = std::move(outcome);
    answered = true;
  });
  if (!world.DrainUntil([&] { return answered.load(); })) return {};
  return *std::move(page);
}

std::vector<std::string> Ids(const HerePage& page) {
  std::vector<std::string> ids;
  for (const SessionHere& here : page.sessions) ids.push_back(here.info.session_id);
  return ids;
}

// All ids, a bar between pages.
std::string Pages(shard::World& world, size_t page_size) {
  std::string ids, token;
  do {
    const HerePage page = ListHere(world, "", token, page_size).value;
    for (const std::string& id : Ids(page)) ids += id;
    token = page.next_page_token;
    if (!token.empty()) ids += '|';
  } while (!token.empty());
  return ids;
}

TEST(ListHereTest, ATenantsSessionsAreListedAndNoOthers) {
  shard::World world(shard::ShardOptions{.save_interval = shard::kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, OfTenant("acme", "a"));
  world.Open(peer, 1, OfTenant("acme-2", "b"));
  world.Open(peer, 2, OfTenant("other", "c"));
  EXPECT_THAT(Ids(ListHere(world, "acme").value), ElementsAre("a"));
  EXPECT_THAT(Ids(ListHere(world, "acme-2").value), ElementsAre("b"));
  EXPECT_THAT(Ids(ListHere(world, "nobody").value), IsEmpty());
}

TEST(ListHereTest, TellsWhereTheyAreAndWhatWaits) {
  shard::World world(shard::ShardOptions{.save_interval = shard::kInterval}, 2);
  shard::FakePeer first, second;
  world.Open(first, 0, OfTenant("acme", "a"), 0);
  world.Open(second, 0, OfTenant("acme", "b"), 1);
  first.has_room = false;  // tokens of a stream without room are not stepped
  shard::Push(world, first, 0, 0, {1, 2, 3});
  const HerePage page = ListHere(world, "acme").value;
  ASSERT_EQ(page.sessions.size(), 2u);
  EXPECT_EQ(page.sessions[0].shard, 0);
  EXPECT_EQ(page.sessions[0].queued_tokens, 3u);
  EXPECT_EQ(page.sessions[1].shard, 1);
  EXPECT_EQ(page.sessions[1].queued_tokens, 0u);
}

TEST(ListHereTest, OneThatIsDemotedIsHereAsWell) {
  shard::World world(shard::NoRowsStay());
  shard::FakePeer peer;
  shard::OpenAndRest(world, peer, 0, "a");
  ASSERT_EQ(shard::Demoted(world), 1u);
  const HerePage page = ListHere(world, "").value;
  ASSERT_THAT(Ids(page), ElementsAre("a"));
  EXPECT_TRUE(page.sessions[0].info.attached);
  EXPECT_FALSE(page.sessions[0].info.resident);
  EXPECT_EQ(page.sessions[0].info.next_seq, 5u);
  EXPECT_EQ(page.sessions[0].info.origin.model, "sum:1");
  EXPECT_EQ(page.sessions[0].info.state_bytes, shard::kRowBytes);
}

TEST(ListHereTest, OneThatIsInTheStoreOnlyIsNotHere) {
  shard::World world(shard::ShardOptions{.save_interval = shard::kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 1));
  world.Advance(shard::kInterval);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world.shared_store());
  EXPECT_THAT(Ids(ListHere(restarted, "").value), IsEmpty());
}

TEST(ListHereTest, PagesHaveAllOfThemInOrderOnce) {
  shard::World world(shard::ShardOptions{.save_interval = shard::kInterval}, 2);
  shard::FakePeer first, second;
  for (uint32_t i = 0; i < 5; ++i)
    world.Open(i % 2 == 0 ? first : second, i, shard::Named(std::string(1, 'a' + i)), i % 2);
  EXPECT_EQ(Pages(world, 2), "ab|cd|e");
  EXPECT_EQ(Pages(world, 5), "abcde");
  EXPECT_EQ(Pages(world, 1), "a|b|c|d|e");
}

// Pages interleave resident and demoted sessions by id.
TEST(ListHereTest, PagesMixThoseThatAreDemotedWithOthers) {
  shard::World world(
      shard::ShardOptions{.max_resident_bytes = 2 * shard::kRowBytes, .save_interval = shard::kInterval});
  shard::FakePeer peer;
  for (uint32_t i = 0; i < 5; ++i) {
    world.Open(peer, i, shard::Named(std::string(1, static_cast<char>('e' - i))));
    world.Send(peer, i, 0, shard::Values(0, 1));
    world.Advance(shard::kInterval);
  }
  shard::Rest(world);
  ASSERT_GT(shard::Demoted(world), 0u);
  ASSERT_LT(shard::Demoted(world), 5u);
  EXPECT_EQ(Pages(world, 2), "ab|cd|e");
  EXPECT_EQ(Pages(world, 1), "a|b|c|d|e");
}

TEST(ListHereTest, BadPagesAreRefused) {
  shard::World world;
  EXPECT_EQ(ListHere(world, "default", "banana").refusal->field, "page_token");
  EXPECT_EQ(ListHere(world, "default", "", 0).refusal->field, "page_size");
  EXPECT_EQ(ListHere(world, "default", "", 201).refusal->field, "page_size");
}

}  // namespace
}  // namespace aaren::registrar
