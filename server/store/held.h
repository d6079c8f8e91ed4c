#ifndef AAREN_SERVER_STORE_HELD_H_
#define AAREN_SERVER_STORE_HELD_H_

// The comparisons before a write, between the stored session and the writer's expectation: one rule for all stores.
// Threading: pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/store/store.h"

namespace aaren::store {

// `held`: the stored header; null if the session does not exist.
WriteResult CompareHeld(const std::string& key, const SessionHeader* held, uint64_t expected_epoch);

// For a save: the incarnation must be the same, too.
WriteResult CompareWriter(const SessionHeader* held, const SessionHeader& writer);

// The saves that an acquisition builds on.
struct Kept {
  std::optional<uint64_t> keep_seq, newest_seq;
};

// Ok if the save at keep_seq is still stored, and the earlier writer has saved nothing since. `seqs` are the seqs of
// the stored saves, in order.
WriteResult CompareKept(const SessionHeader& held, const std::vector<uint64_t>& seqs, const Kept& kept);

absl::Status NoSuchSession(const std::string& key);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_HELD_H_
