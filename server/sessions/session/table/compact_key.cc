#include "server/sessions/session/table/compact_key.h"

#include <cstring>

namespace aaren::session {

CompactKey::CompactKey(absl::string_view text)
    : bytes_(std::make_unique_for_overwrite<char[]>(sizeof(uint16_t) + text.size())) {
  const auto length = static_cast<uint16_t>(text.size());
  std::memcpy(bytes_.get(), &length, sizeof(length));
  std::memcpy(bytes_.get() + sizeof(length), text.data(), text.size());
}

absl::string_view CompactKey::view() const {
  if (!bytes_) return {};
  uint16_t length;
  std::memcpy(&length, bytes_.get(), sizeof(length));
  return {bytes_.get() + sizeof(length), length};
}

}  // namespace aaren::session
