#ifndef AAREN_SERVER_SESSIONS_SESSION_TABLE_COMPACT_KEY_H_
#define AAREN_SERVER_SESSIONS_SESSION_TABLE_COMPACT_KEY_H_

// A CompactKey has the key of a session in a single pointer and the bytes behind the pointer: tables of millions of
// keys take a third less than with std::string. Constant once made; move-only. ByKey makes hash sets of owners of a
// `key`, looked up by the text alone.

#include <cstdint>
#include <memory>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace aaren::session {

class CompactKey {
 public:
  CompactKey() = default;

  // REQUIRES: shorter than 65536 bytes.
  explicit CompactKey(absl::string_view text);

  absl::string_view view() const;

 private:
  std::unique_ptr<char[]> bytes_;  // uint16 length, then the text; null: empty
};

// Hash and equality of unique_ptrs to things with a member `key`.
template <typename T>
struct ByKey {
  using is_transparent = void;
  using Pointer = std::unique_ptr<T>;

  size_t operator()(absl::string_view key) const { return absl::Hash<absl::string_view>()(key); }
  size_t operator()(const Pointer& owner) const { return (*this)(owner->key.view()); }
  bool operator()(const Pointer& a, const Pointer& b) const { return a->key.view() == b->key.view(); }
  bool operator()(const Pointer& a, absl::string_view key) const { return a->key.view() == key; }
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_TABLE_COMPACT_KEY_H_
