#ifndef AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_TIERS_H_
#define AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_TIERS_H_

// For tests of tiers: worlds with sessions demoted to the store.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {

inline constexpr size_t kRowBytes = 64;  // a FakeEngine's row bytes

inline ShardOptions NoRowsStay() { return {.max_resident_bytes = 0, .save_interval = kInterval}; }

// Long enough for a session to be saved and to leave.
inline void Rest(World& world) {
  for (int i = 0; i < 4; ++i) world.Advance(kInterval);
}

// Opens, sends five tokens, and rests.
inline void OpenAndRest(World& world, FakePeer& peer, session::Handle handle, const std::string& id) {
  world.Open(peer, handle, Named(id));
  world.Send(peer, handle, 0, Values(0, 5));
  Rest(world);
}

inline uint64_t Demoted(World& world, int shard = 0) { return world.shard(shard).counters().sessions_demoted.value(); }
inline uint64_t Rows(World& world, int shard = 0) { return world.shard(shard).counters().slots_used.value(); }

// Sends tokens without waiting for a reply.
inline void Push(World& world, FakePeer& peer, session::Handle handle, uint64_t first_seq,
                 const std::vector<float>& values) {
  session::TokensView tokens;
  tokens.handle = handle;
  tokens.first_seq = first_seq;
  tokens.values = values;
  world.shard().Tokens(peer, tokens);
}

// Lets another server have the session.
inline void TakeElsewhere(World& world, const std::string& key) {
  absl::StatusOr<store::SessionRecord> record = world.store().Load(key);
  ASSERT_TRUE(record.ok());
  record->epoch += 1000;
  ASSERT_TRUE(world.store().Put(*std::move(record)).ok());
}

}  // namespace aaren::shard

#endif  // AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_TIERS_H_
