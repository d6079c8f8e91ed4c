#include "client/load/wire.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace aaren::client {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

constexpr uint32_t FieldTag(int field, WireFormatLite::WireType type) {
  return static_cast<uint32_t>(field) << 3 | static_cast<uint32_t>(type);
}
constexpr uint32_t Varint(int field) { return FieldTag(field, WireFormatLite::WIRETYPE_VARINT); }
constexpr uint32_t Bytes(int field) { return FieldTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED); }

constexpr uint32_t kItems = Bytes(v1::ClientMessage::kItemsFieldNumber);
constexpr uint32_t kReplyItems = Bytes(v1::ServerMessage::kItemsFieldNumber);
constexpr uint32_t kTokens = Bytes(v1::ClientItem::kTokensFieldNumber);
constexpr uint32_t kForecasts = Bytes(v1::ServerItem::kForecastsFieldNumber);
constexpr uint32_t kForecastsNextSeq = Varint(v1::Forecasts::kNextSeqFieldNumber);
constexpr uint32_t kAckedNextSeq = Varint(v1::Acked::kNextSeqFieldNumber);
constexpr uint32_t kAcked = Bytes(v1::ServerItem::kAckedFieldNumber);

uint8_t* WriteField(uint32_t tag, uint64_t value, uint8_t* to) {
  return CodedOutputStream::WriteVarint64ToArray(value, CodedOutputStream::WriteTagToArray(tag, to));
}

size_t VarintSize(uint64_t value) { return CodedOutputStream::VarintSize64(value); }

// The length of a field: at most the rest of the bytes, whatever the server says.
bool ReadSize(CodedInputStream& in, uint32_t& size) {
  return in.ReadVarint32(&size) && int64_t{size} <= in.BytesUntilLimit();
}

// Reads the handle and next_seq of a Forecasts or an Acked and skips the rest.
bool ReadProgress(CodedInputStream& in, uint32_t next_seq_tag, ReplyHandler& handler) {
  uint32_t handle = 0;
  uint64_t next_seq = 0;
  while (const uint32_t tag = in.ReadTag()) {
    bool ok;
    if (tag == Varint(v1::Forecasts::kHandleFieldNumber)) {
      ok = in.ReadVarint32(&handle);
    } else if (tag == next_seq_tag) {
      ok = in.ReadVarint64(&next_seq);
    } else {
      ok = WireFormatLite::SkipField(&in, tag);
    }
    if (!ok) return false;
  }
  handler.OnProgress(handle, next_seq);
  return true;
}

// `tag` of the item's only field has been read; `size` bytes of the field follow.
bool ReadRareItem(CodedInputStream& in, uint32_t tag, uint32_t size, ReplyHandler& handler) {
  // The tag and the size are varints of 32 bits: five bytes each at most.
  std::string field(size_t{2 * 5} + size, '\0');
  auto* begin = reinterpret_cast<uint8_t*>(field.data());
  uint8_t* to = WriteField(tag, size, begin);
  if (!in.ReadRaw(to, static_cast<int>(size))) return false;
  field.resize(static_cast<size_t>(to - begin) + size);
  v1::ServerItem item;
  if (!item.ParseFromString(field)) return false;
  handler.OnItem(item);
  return true;
}

bool ReadItem(CodedInputStream& in, ReplyHandler& handler) {
  while (const uint32_t tag = in.ReadTag()) {
    uint32_t size;
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED || !ReadSize(in, size)) {
      return false;
    }
    if (tag != kForecasts && tag != kAcked) {
      if (!ReadRareItem(in, tag, size, handler)) return false;
      continue;
    }
    const auto limit = in.PushLimit(static_cast<int>(size));
    if (!ReadProgress(in, tag == kForecasts ? kForecastsNextSeq : kAckedNextSeq, handler)) return false;
    in.PopLimit(limit);
  }
  return true;
}

}  // namespace

void WireMessage::AddTokens(uint32_t handle, uint64_t first_seq, absl::Span<const float> values,
                            uint64_t delivered_seq) {
  const size_t value_bytes = values.size() * sizeof(float);
  // Four fields, with a tag of one byte each.
  const size_t tokens = 4 + VarintSize(handle) + VarintSize(first_seq) + VarintSize(value_bytes) + value_bytes +
                        VarintSize(delivered_seq);
  const size_t item = 1 + VarintSize(tokens) + tokens;
  const size_t begin = bytes_.size();
  bytes_.resize(begin + 1 + VarintSize(item) + item);
  uint8_t* to = WriteField(kItems, item, bytes_.data() + begin);
  to = WriteField(kTokens, tokens, to);
  to = WriteField(Varint(v1::Tokens::kHandleFieldNumber), handle, to);
  to = WriteField(Varint(v1::Tokens::kFirstSeqFieldNumber), first_seq, to);
  to = WriteField(Bytes(v1::Tokens::kValuesFieldNumber), value_bytes, to);
  // Packed floats are little-endian, as in the memory of x86 and Arm.
  std::memcpy(to, values.data(), value_bytes);
  WriteField(Varint(v1::Tokens::kDeliveredSeqFieldNumber), delivered_seq, to + value_bytes);
}

void WireMessage::Add(const v1::ClientItem& item) {
  const size_t size = item.ByteSizeLong();
  const size_t begin = bytes_.size();
  bytes_.resize(begin + 1 + VarintSize(size) + size);
  item.SerializeWithCachedSizesToArray(WriteField(kItems, size, bytes_.data() + begin));
}

bool ReadReply(grpc::ByteBuffer& message, ReplyHandler& handler) {
  grpc::ProtoBufferReader reader(&message);
  CodedInputStream in(&reader);
  in.SetTotalBytesLimit(INT32_MAX);
  in.PushLimit(static_cast<int>(std::min<size_t>(message.Length(), INT32_MAX)));
  while (const uint32_t tag = in.ReadTag()) {
    uint32_t size;
    if (tag != kReplyItems || !ReadSize(in, size)) return false;
    const auto limit = in.PushLimit(static_cast<int>(size));
    if (!ReadItem(in, handler) || in.BytesUntilLimit() > 0) return false;
    in.PopLimit(limit);
  }
  return in.ConsumedEntireMessage();
}

}  // namespace aaren::client
