#include "server/net/rpc/messages/envelope.h"

#include "aaren/v1/stream.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "server/net/rpc/messages/wire_field.h"

namespace aaren::rpc {
namespace {

using google::protobuf::io::CodedOutputStream;

constexpr uint32_t kItemsTag = v1::ServerMessage::kItemsFieldNumber << 3 | kBytes;

inline bool IsKind(uint32_t field) { return field >= v1::ClientItem::kHello && field <= v1::ClientItem::kClose; }

// The last field of a oneof counts. Further fields belong to a later version of the protocol. False if the item is
// malformed, or has more than `unknown_left` unknown fields.
inline bool ReadItem(std::string_view item, uint32_t& kind, std::string_view& content, size_t& unknown_left) {
  kind = 0;
  content = {};
  for (WireRest rest(item); !rest.empty();) {
    WireField field;
    if (!TakeField(rest, field)) return false;
    if (field.type == kBytes && (IsKind(field.number) || !IsKind(kind))) {
      kind = field.number;
      content = field.content;
    } else if (unknown_left-- == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

ItemReader::Result ItemReader::Next() {
  WireRest rest(rest_);
  while (!rest.empty()) {
    WireField field;
    if (!TakeField(rest, field)) return Result::kMalformed;
    if (field.number != v1::ClientMessage::kItemsFieldNumber || field.type != kBytes) {
      if (unknown_left_-- == 0) return Result::kMalformed;
      continue;
    }
    if (!ReadItem(field.content, field_, content_, unknown_left_)) return Result::kMalformed;
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
