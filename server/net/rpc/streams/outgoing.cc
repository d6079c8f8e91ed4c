#include "server/net/rpc/streams/outgoing.h"

#include <algorithm>
#include <utility>

namespace aaren::rpc {
namespace {

constexpr size_t kMostUnread = 4 << 20;  // a stream's most

}  // namespace

void Outgoing::Append(uint32_t field, const google::protobuf::MessageLite& content) {
  if (closed_) return;
  const size_t before = outbox_.bytes();
  outbox_.Append(field, content);
  unread_.Take(outbox_.bytes() - before);
  AskForFlush();
}

// A write under way does not count: its bytes may have left already.
bool Outgoing::HasRoom() const {
  const size_t held = outbox_.bytes();
  return held == 0 || held < std::min(kMostUnread, unread_.half_of_free());
}

grpc::ByteBuffer Outgoing::BeginWrite(absl::Time now) {
  grpc::ByteBuffer message = outbox_.Take();
  writing_bytes_ = message.Length();
  writing_since_ = now;
  return message;
}

size_t Outgoing::EndWrite() {
  const size_t bytes = std::exchange(writing_bytes_, 0);
  unread_.Give(bytes);
  return bytes;
}

void Outgoing::Close() {
  closed_ = true;
  unread_.Give(outbox_.bytes());
  outbox_.Clear();
}

}  // namespace aaren::rpc
