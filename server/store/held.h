#ifndef AAREN_SERVER_STORE_HELD_H_
#define AAREN_SERVER_STORE_HELD_H_

// The comparisons before a write: what a store holds of a session, against what its writer expects. One rule for all
// stores. Threading: pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/store/store.h"

namespace aaren::store {

// `held` is null if there is no such session.
WriteResult CompareHeld(const std::string& key, const SessionHeader* held, uint64_t expected_epoch);

// For a save: the incarnation must be the same, too.
WriteResult CompareWriter(const SessionHeader* held, const SessionHeader& writer);

// Of an acquisition: what it goes on from.
struct Kept {
  std::optional<uint64_t> keep_seq, newest_seq;
};

// It is still there, and the writer of before has saved nothing since. `seqs` are those of the saves that are held, in
// their order.
WriteResult CompareKept(const SessionHeader& held, const std::vector<uint64_t>& seqs, const Kept& kept);

absl::Status NoSuchSession(const std::string& key);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_HELD_H_
