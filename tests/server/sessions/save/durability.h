#ifndef AAREN_TESTS_SERVER_SESSIONS_SAVE_DURABILITY_H_
#define AAREN_TESTS_SERVER_SESSIONS_SAVE_DURABILITY_H_

// For tests of durability: Opens with a durability, the saves of a session in the store, and a shard with a store.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::save {

inline constexpr absl::Duration kInterval = absl::Milliseconds(500);

inline std::vector<uint64_t> SavesOf(shard::World& world, const std::string& key) {
  std::vector<uint64_t> seqs;
  const absl::StatusOr<store::SessionRecord> record = world.store().Load(key);
  if (!record.ok()) return {999};
  for (const store::SavedRows& save : record->saves) seqs.push_back(save.point.seq);
  return seqs;
}

inline session::OpenRequest With(session::SessionDurability durability, const std::string& id,
                                 std::optional<uint64_t> delivered = {}) {
  session::OpenRequest request = shard::Named(id, delivered);
  request.durability = durability;
  return request;
}

inline session::OpenRequest EveryToken(const std::string& id, std::optional<uint64_t> delivered = {}) {
  return With(session::SessionDurability::kEveryToken, id, delivered);
}

inline session::OpenRequest None(const std::string& id, std::optional<uint64_t> delivered = {}) {
  return With(session::SessionDurability::kNone, id, delivered);
}

// One shard with a store. `Give` hands tokens to the shard without a step.
class DurabilityTest : public testing::Test {
 protected:
  void Give(session::Handle handle, uint64_t first_seq, size_t count, std::optional<uint64_t> delivered = {},
            bool silent = false) {
    const std::vector<float> values = shard::Values(first_seq, count);
    session::TokensView tokens;
    tokens.handle = handle;
    tokens.first_seq = first_seq;
    tokens.values = values;
    tokens.delivered_seq = delivered;
    tokens.silent = silent;
    ASSERT_TRUE(world_.shard().Tokens(peer_, tokens));
  }

  // Everything is stepped, and no save has come back.
  void StepAll() {
    while (world_.shard().Step() > 0 || world_.shard().StepUnderWay()) world_.FinishResults();
  }

  // Opens the session at another server with the same store, as after a kill.
  session::OpenedReply OpenElsewhere(session::OpenRequest request) {
    shard::World other({.save_interval = kInterval}, 1, world_.shared_store());
    shard::FakePeer peer;
    other.Open(peer, 0, std::move(request));
    EXPECT_EQ(peer.events.at(0).kind, shard::FakePeer::Event::kOpened) << peer.Last().refusal.status;
    return peer.events.at(0).opened;
  }

  std::vector<std::vector<float>> Expected(size_t count) { return world_.engine().Forecasts(shard::Values(0, count)); }

  shard::World world_{shard::ShardOptions{.save_interval = kInterval}};
  shard::FakePeer peer_;
};

}  // namespace aaren::save

#endif  // AAREN_TESTS_SERVER_SESSIONS_SAVE_DURABILITY_H_
