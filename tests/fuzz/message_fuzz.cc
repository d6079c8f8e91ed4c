// A message on a stream: the walk over its items agrees with protobuf's own reader, and item contents become requests.

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <vector>

#include "aaren/v1/stream.pb.h"
#include "server/net/rpc/messages/bounded_parse.h"
#include "server/net/rpc/messages/convert.h"
#include "server/net/rpc/messages/envelope.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

constexpr rpc::ParseBounds kBounds{.bytes = 1 << 20, .fields = 4096};

// Within the bounds the message equals protobuf's own, but for unknown fields.
template <typename Content>
bool Parse(absl::string_view bytes, Content& content) {
  if (!rpc::ParseBounded({bytes.data(), bytes.size()}, kBounds, content).ok()) return false;
  Content whole;
  Must(whole.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())), "protobuf refuses what is within bounds");
  whole.DiscardUnknownFields();
  content.DiscardUnknownFields();
  Must(whole.SerializeAsString() == content.SerializeAsString(), "another message than protobuf's");
  return true;
}

void RunItem(uint32_t field, absl::string_view content) {
  if (field == v1::ClientItem::kOpen) {
    v1::Open open;
    if (Parse(content, open)) (void)rpc::ToOpenRequest(open, "tenant");
  } else if (field == v1::ClientItem::kTokens) {
    v1::Tokens tokens;
    if (Parse(content, tokens)) (void)rpc::ToTokensView(tokens);
  }
}

// proto3 has no groups: protobuf skips foreign groups, and this server calls them malformed.
bool HasGroup(const google::protobuf::Message& message) {
  const google::protobuf::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    if (unknown.field(i).type() == google::protobuf::UnknownField::TYPE_GROUP) return true;
  }
  return false;
}

bool HasGroups(const v1::ClientMessage& message) {
  return HasGroup(message) || std::any_of(message.items().begin(), message.items().end(), HasGroup);
}

}  // namespace

void RunMessage(absl::string_view bytes) {
  rpc::ItemReader reader({bytes.data(), bytes.size()});
  using Result = rpc::ItemReader::Result;
  std::vector<uint32_t> kinds;
  Result result = reader.Next();
  for (; result == Result::kItem; result = reader.Next()) {
    const absl::string_view content(reader.content().data(), reader.content().size());
    const bool inside = content.empty() || (content.data() >= bytes.data() &&
                                            content.data() + content.size() <= bytes.data() + bytes.size());
    Must(inside, "an item's content lies outside of its message");
    kinds.push_back(reader.field());
    RunItem(reader.field(), content);
  }
  v1::ClientMessage message;
  if (!Parse(bytes, message) || HasGroups(message)) return;
  Must(result == Result::kEnd, "protobuf reads a message that is malformed here");
  Must(kinds.size() == static_cast<size_t>(message.items_size()), "protobuf finds another number of items");
  for (size_t i = 0; i < kinds.size(); ++i) {
    const auto kind = message.items(static_cast<int>(i)).item_case();
    Must(kind == 0 || static_cast<uint32_t>(kind) == kinds[i], "protobuf finds an item of another kind");
  }
}

}  // namespace aaren::fuzz
