#include "server/net/rpc/streams/incoming.h"

#include "absl/strings/str_cat.h"

namespace aaren::rpc {
namespace {

constexpr size_t kSmallMessage = 16 << 10;  // always fits: streams and connections are limited, too

}  // namespace

grpc::ByteBuffer* Incoming::BeginRead() {
  state_ = State::kReading;
  return &received_;
}

absl::Status Incoming::Take(size_t most) {
  const size_t bytes = received_.Length();
  if (bytes > most) {
    Free();
    return absl::ResourceExhaustedError(absl::StrCat("a message of ", bytes, " bytes, the limit is ", most));
  }
  if (received_.TrySingleSlice(&message_).ok() || received_.DumpToSingleSlice(&message_).ok()) return absl::OkStatus();
  Free();
  return absl::InvalidArgumentError("malformed aaren.v1.ClientMessage");
}

// A large message needs half of the free bytes, or the whole room with no other message there.
bool Incoming::BeginMessage() {
  const size_t bytes = message_.size();
  const bool alone = bytes_.taken() == 0 && bytes <= bytes_.limit();
  if (bytes > kSmallMessage && bytes > bytes_.half_of_free() && !alone) {
    Free();
    return false;
  }
  bytes_.Take(bytes);
  items_ = ItemReader({reinterpret_cast<const char*>(message_.begin()), bytes});
  state_ = State::kHandling;
  return true;
}

ItemReader::Result Incoming::NextItem() {
  if (state_ == State::kItemWaits) {
    state_ = State::kHandling;
    return ItemReader::Result::kItem;
  }
  return items_.Next();
}

void Incoming::Drop() {
  if (!handling()) return;
  bytes_.Give(message_.size());
  Free();
  state_ = State::kIdle;
}

void Incoming::AskForTurn() {
  if (handling()) turn_.Join(line_);
}

// The buffer is the last to let the bytes go. While memory is short gRPC then asks for more of the memory back, which
// needs the ExecCtx that the end of a buffer has. The end of a slice has none, and would end the process.
void Incoming::Free() {
  message_ = grpc::Slice();
  received_.Clear();
}

}  // namespace aaren::rpc
