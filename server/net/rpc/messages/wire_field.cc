#include "server/net/rpc/messages/wire_field.h"

namespace aaren::rpc {

bool TakeLongVarint(WireRest& rest, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 70 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(*rest.begin++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace aaren::rpc
