#include "server/rpc/envelope.h"

#include "aaren/v1/stream.pb.h"
#include "google/protobuf/io/coded_stream.h"

namespace aaren::rpc {
namespace {

using google::protobuf::io::CodedOutputStream;

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr uint32_t kItemsTag = v1::ServerMessage::kItemsFieldNumber << 3 | kBytes;

bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool TakeBytes(std::string_view& bytes, uint64_t size, std::string_view& taken) {
  if (size > bytes.size()) return false;
  taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

// One field of a message. `content` is filled for fields of bytes and empty for numbers.
bool TakeField(std::string_view& bytes, uint32_t& field, uint32_t& type, std::string_view& content) {
  uint64_t tag, number;
  if (!TakeVarint(bytes, tag) || tag >> 32 != 0 || tag >> 3 == 0) return false;
  field = static_cast<uint32_t>(tag >> 3);
  type = tag & 7;
  content = {};
  switch (type) {
    case kVarint:
      return TakeVarint(bytes, number);
    case kFixed64:
      return TakeBytes(bytes, 8, content);
    case kFixed32:
      return TakeBytes(bytes, 4, content);
    case kBytes:
      return TakeVarint(bytes, number) && TakeBytes(bytes, number, content);
    default:
      return false;
  }
}

}  // namespace

ItemReader::Result ItemReader::Next() {
  while (!rest_.empty()) {
    uint32_t field, type;
    std::string_view item;
    if (!TakeField(rest_, field, type, item)) return Result::kMalformed;
    if (field != v1::ClientMessage::kItemsFieldNumber || type != kBytes) continue;  // of a later version
    field_ = 0;
    content_ = {};
    while (!item.empty()) {  // of a oneof the last one counts
      if (!TakeField(item, field_, type, content_) || type != kBytes) return Result::kMalformed;
    }
    return Result::kItem;
  }
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
