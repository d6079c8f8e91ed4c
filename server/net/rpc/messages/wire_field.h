#ifndef AAREN_SERVER_NET_RPC_MESSAGES_WIRE_FIELD_H_
#define AAREN_SERVER_NET_RPC_MESSAGES_WIRE_FIELD_H_

// One field of protobuf's wire format, taken from the front of some bytes. Groups are refused: no message here has one.
// Threading: pure functions.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace aaren::rpc {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The rest of the bytes, as two pointers: one loop over both walks a message.
struct WireRest {
  explicit WireRest(std::string_view bytes) : begin(bytes.data()), end(bytes.data() + bytes.size()) {}

  size_t size() const { return static_cast<size_t>(end - begin); }
  bool empty() const { return begin == end; }
  std::string_view view() const { return {begin, size()}; }

  const char* begin;
  const char* end;
};

struct WireField {
  uint32_t number = 0;
  uint32_t type = 0;
  std::string_view content;  // for bytes or a fixed size; empty for a varint
};

bool TakeLongVarint(WireRest& rest, uint64_t& value);

// Most varints are one byte long: tags, and the lengths of items with a point.
inline bool TakeVarint(WireRest& rest, uint64_t& value) {
  if (rest.empty() || static_cast<uint8_t>(*rest.begin) >= 0x80) return TakeLongVarint(rest, value);
  value = static_cast<uint8_t>(*rest.begin++);
  return true;
}

inline bool TakeBytes(WireRest& rest, uint64_t size, std::string_view& taken) {
  if (size > rest.size()) return false;
  taken = {rest.begin, static_cast<size_t>(size)};
  rest.begin += size;
  return true;
}

// False if the bytes do not begin with a field.
inline bool TakeField(WireRest& rest, WireField& field) {
  uint64_t tag, number;
  if (!TakeVarint(rest, tag)) return false;
  field.number = static_cast<uint32_t>(tag) >> 3;  // bits beyond 32 are passed over, as protobuf does
  if (field.number == 0) return false;
  field.type = tag & 7;
  field.content = {};
  switch (field.type) {
    case kVarint:
      return TakeVarint(rest, number);
    case kFixed64:
      return TakeBytes(rest, 8, field.content);
    case kFixed32:
      return TakeBytes(rest, 4, field.content);
    case kBytes:
      return TakeVarint(rest, number) && TakeBytes(rest, number, field.content);
    default:
      return false;
  }
}

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_MESSAGES_WIRE_FIELD_H_
