#ifndef AAREN_SERVER_STORE_ROCKSDB_HELD_CACHE_H_
#define AAREN_SERVER_STORE_ROCKSDB_HELD_CACHE_H_

// A HeldCache knows of the sessions that were written last what the database has of them: whose they are, and their
// slots. A save compares its writer with that, and reads nothing. What is here was written; after a write that failed
// nothing is. Threading: belongs to the store's thread.

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "server/store/format/stored_header.h"

namespace aaren::store {

class HeldCache {
 public:
  static constexpr size_t kBytes = 512;  // of an entry, about

  explicit HeldCache(size_t most) : most_(most) {}

  // Its epoch, incarnation and slots, and nothing else; null if it is not known.
  const StoredHeader* Find(const std::string& key) const {
    const auto found = held_.find(key);
    return found == held_.end() ? nullptr : &found->second;
  }

  void Put(const StoredHeader& header) {
    const auto [at, is_new] = held_.try_emplace(header.key);
    at->second.epoch = header.epoch;
    at->second.incarnation = header.incarnation;
    at->second.slots = header.slots;
    if (is_new && held_.size() > most_) held_.erase(held_.begin());
  }
  void Remove(const std::string& key) { held_.erase(key); }
  void Clear() { held_.clear(); }

 private:
  const size_t most_;
  absl::flat_hash_map<std::string, StoredHeader> held_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_HELD_CACHE_H_
