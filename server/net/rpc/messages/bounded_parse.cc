#include "server/net/rpc/messages/bounded_parse.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "server/net/rpc/messages/wire_field.h"

namespace aaren::rpc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A message of 128 bytes has at most 64 fields: no result of a parse is worth a walk.
constexpr size_t kNotWorthAWalk = 128;
constexpr size_t kMostElementBytes = 8;  // for a packed number of any type, once parsed
constexpr int kDepth = 8;                // the protocol's messages nest three deep

// Counts down from the bounds, and stops at the first bound passed.
class Walk {
 public:
  explicit Walk(const ParseBounds& bounds) : fields_left_(bounds.fields), memory_left_(2 * bounds.bytes) {}

  enum class Result { kWithin, kBeyond, kMalformed };

  Result Of(std::string_view bytes, const Descriptor& type, int depth) {
    for (WireRest rest(bytes); !rest.empty();) {
      WireField field;
      if (!TakeField(rest, field)) return Result::kMalformed;
      if (fields_left_ == 0) return Result::kBeyond;
      --fields_left_;
      const FieldDescriptor* known = type.FindFieldByNumber(static_cast<int>(field.number));
      if (known == nullptr) {
        has_unknown_ = true;
      } else if (const Result result = Content(field, *known, depth); result != Result::kWithin) {
        return result;
      }
    }
    return Result::kWithin;
  }

  bool has_unknown() const { return has_unknown_; }

 private:
  Result Content(const WireField& field, const FieldDescriptor& known, int depth) {
    if (field.type != kBytes) return Result::kWithin;
    if (known.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      return depth == 0 ? Result::kBeyond : Of(field.content, *known.message_type(), depth - 1);
    }
    // Packed numbers of a variable size take a byte each on the wire, and eight in memory at most.
    const bool varints = known.is_packable() && known.type() != FieldDescriptor::TYPE_FLOAT &&
                         known.type() != FieldDescriptor::TYPE_SFIXED64;
    const size_t memory = field.content.size() * (varints ? kMostElementBytes : 1);
    if (memory > memory_left_) return Result::kBeyond;
    memory_left_ -= memory;
    return Result::kWithin;
  }

  size_t fields_left_, memory_left_;
  bool has_unknown_ = false;
};

absl::Status Malformed(const Message& message) {
  return absl::InvalidArgumentError(absl::StrCat("malformed ", message.GetTypeName()));
}

}  // namespace

absl::Status BeyondBounds(const Message& message, const ParseBounds& bounds) {
  return absl::ResourceExhaustedError(absl::StrCat("a ", message.GetTypeName(), " may have ", bounds.bytes,
                                                   " bytes and ", bounds.fields, " fields; this one has more"));
}

absl::Status ParseBounded(std::string_view bytes, const ParseBounds& bounds, Message& message) {
  if (bytes.size() > bounds.bytes) return BeyondBounds(message, bounds);
  Walk walk(bounds);
  if (bytes.size() > kNotWorthAWalk) {
    const Walk::Result result = walk.Of(bytes, *message.GetDescriptor(), kDepth);
    if (result == Walk::Result::kBeyond) return BeyondBounds(message, bounds);
    if (result == Walk::Result::kMalformed) return Malformed(message);
  }
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Malformed(message);
  if (walk.has_unknown()) message.DiscardUnknownFields();
  return absl::OkStatus();
}

}  // namespace aaren::rpc
