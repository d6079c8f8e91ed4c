#ifndef AAREN_SERVER_STORE_ROCKSDB_HELD_CACHE_H_
#define AAREN_SERVER_STORE_ROCKSDB_HELD_CACHE_H_

// A HeldCache has the epoch, incarnation and slots of the sessions written last, as the database has them. A save
// compares its writer with the cache, and need not read. The cache is empty after a failed write. Threading: belongs to
// the store's thread.

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "server/store/format/stored_header.h"

namespace aaren::store {

class HeldCache {
 public:
  static constexpr size_t kBytes = 512;  // about the size of an entry

  explicit HeldCache(size_t most) : most_(most) {}

  // A header with the epoch, incarnation and slots only; null if the session is not in the cache.
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
