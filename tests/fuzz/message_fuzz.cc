// A message on a stream: the walk over its items agrees with protobuf's own reader, and their contents become requests.

#include <google/protobuf/io/coded_stream.h>

#include <string>

#include "aaren/v1/stream.pb.h"
#include "server/rpc/messages/convert.h"
#include "server/rpc/messages/envelope.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

template <typename Content>
bool Parse(absl::string_view bytes, Content& content) {
  return content.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
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

}  // namespace

void RunMessage(absl::string_view bytes) {
  rpc::ItemReader reader({bytes.data(), bytes.size()});
  using Result = rpc::ItemReader::Result;
  int items = 0;
  Result result = reader.Next();
  for (; result == Result::kItem; result = reader.Next(), ++items) {
    const absl::string_view content(reader.content().data(), reader.content().size());
    const bool inside = content.empty() || (content.data() >= bytes.data() &&
                                            content.data() + content.size() <= bytes.data() + bytes.size());
    Must(inside, "an item's content lies outside of its message");
    RunItem(reader.field(), content);
  }
  v1::ClientMessage message;
  if (!Parse(bytes, message)) return;
  Must(result == Result::kEnd, "protobuf reads a message that is malformed here");
  Must(items == message.items_size(), "protobuf finds another number of items");
}

}  // namespace aaren::fuzz
