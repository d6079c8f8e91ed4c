#include "server/rpc/messages/envelope.h"

#include "aaren/v1/stream.pb.h"
#include "google/protobuf/io/coded_stream.h"

namespace aaren::rpc {
namespace {

using google::protobuf::io::CodedOutputStream;

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr uint32_t kItemsTag = v1::ServerMessage::kItemsFieldNumber << 3 | kBytes;

// What is left of some bytes. It lives in registers: every item passes here.
struct Rest {
  explicit Rest(std::string_view bytes) : begin(bytes.data()), end(bytes.data() + bytes.size()) {}
  size_t size() const { return static_cast<size_t>(end - begin); }
  std::string_view view() const { return {begin, size()}; }

  const char* begin;
  const char* end;
};

bool TakeLongVarint(Rest& rest, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 70 && rest.begin != rest.end; shift += 7) {
    const auto byte = static_cast<uint8_t>(*rest.begin++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Most are one byte long: tags, and the lengths of items with a point.
inline bool TakeVarint(Rest& rest, uint64_t& value) {
  if (rest.begin == rest.end || static_cast<uint8_t>(*rest.begin) >= 0x80) return TakeLongVarint(rest, value);
  value = static_cast<uint8_t>(*rest.begin++);
  return true;
}

inline bool TakeBytes(Rest& rest, uint64_t size, std::string_view& taken) {
  if (size > rest.size()) return false;
  taken = {rest.begin, size};
  rest.begin += size;
  return true;
}

// One field of a message. `content` is filled for fields of bytes and empty for numbers.
inline bool TakeField(Rest& rest, uint32_t& field, uint32_t& type, std::string_view& content) {
  uint64_t tag, number;
  if (!TakeVarint(rest, tag)) return false;
  field = static_cast<uint32_t>(tag) >> 3;  // bits beyond 32 are passed over, as protobuf does
  if (field == 0) return false;
  type = tag & 7;
  content = {};
  switch (type) {
    case kVarint:
      return TakeVarint(rest, number);
    case kFixed64:
      return TakeBytes(rest, 8, content);
    case kFixed32:
      return TakeBytes(rest, 4, content);
    case kBytes:
      return TakeVarint(rest, number) && TakeBytes(rest, number, content);
    default:
      return false;
  }
}

inline bool IsKind(uint32_t field) { return field >= v1::ClientItem::kHello && field <= v1::ClientItem::kClose; }

// Of a oneof the last one counts. What is beside it is of a later version, as is an item that has nothing else.
inline bool ReadItem(std::string_view item, uint32_t& kind, std::string_view& content) {
  kind = 0;
  content = {};
  for (Rest rest(item); rest.begin != rest.end;) {
    uint32_t field, type;
    std::string_view bytes;
    if (!TakeField(rest, field, type, bytes)) return false;
    if (type != kBytes || (IsKind(kind) && !IsKind(field))) continue;
    kind = field;
    content = bytes;
  }
  return true;
}

}  // namespace

ItemReader::Result ItemReader::Next() {
  Rest rest(rest_);
  while (rest.begin != rest.end) {
    uint32_t field, type;
    std::string_view bytes;
    if (!TakeField(rest, field, type, bytes)) return Result::kMalformed;
    if (field != v1::ClientMessage::kItemsFieldNumber || type != kBytes) continue;  // of a later version
    if (!ReadItem(bytes, field_, content_)) return Result::kMalformed;
    rest_ = rest.view();
    return Result::kItem;
  }
  rest_ = {};
  return Result::kEnd;
}

void AppendItem(uint32_t field, const google::protobuf::MessageLite& content, std::string& message) {
  const uint32_t tag = field << 3 | kBytes;
  const auto size = static_cast<uint32_t>(content.ByteSizeLong());
  const size_t item = CodedOutputStream::VarintSize32(tag) + CodedOutputStream::VarintSize32(size) + size;
  const size_t old = message.size();
  message.resize(old + 1 + CodedOutputStream::VarintSize32(static_cast<uint32_t>(item)) + item);
  auto* out = reinterpret_cast<uint8_t*>(message.data() + old);
  out = CodedOutputStream::WriteTagToArray(kItemsTag, out);
  out = CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(item), out);
  out = CodedOutputStream::WriteTagToArray(tag, out);
  out = CodedOutputStream::WriteVarint32ToArray(size, out);
  content.SerializeWithCachedSizesToArray(out);
}

}  // namespace aaren::rpc
