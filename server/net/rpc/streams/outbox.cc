#include "server/net/rpc/streams/outbox.h"

#include <utility>

#include "grpcpp/support/slice.h"
#include "server/net/rpc/messages/envelope.h"

namespace aaren::rpc {

std::string BufferPool::Take() {
  if (buffers_.empty()) return std::string();
  std::string buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

void BufferPool::Give(std::string buffer) {
  if (buffers_.size() == kMaxBuffers || buffer.capacity() > kMaxBytes) return;
  buffer.clear();
  buffers_.push_back(std::move(buffer));
}

void Outbox::Append(uint32_t field, const google::protobuf::MessageLite& content) {
  if (open_.empty()) open_ = pool_.Take();
  const size_t before = open_.size();
  AppendItem(field, content, open_);
  bytes_ += open_.size() - before;
  if (before == 0 || open_.size() <= kMessageBytes) return;
  // The last item of a too large message begins the next message: only a written item has a known size.
  std::string next = pool_.Take();
  next.assign(open_, before);
  open_.resize(before);
  full_.push_back(std::exchange(open_, std::move(next)));
}

grpc::ByteBuffer Outbox::Take() {
  std::string message;
  if (full_.empty()) {
    message = std::exchange(open_, std::string());
  } else {
    message = std::move(full_.front());
    full_.erase(full_.begin());
    if (full_.empty()) full_ = {};
  }
  bytes_ -= message.size();
  // A copy: the string goes back to the pool with the capacity.
  const grpc::Slice slice(message.data(), message.size());
  pool_.Give(std::move(message));
  return grpc::ByteBuffer(&slice, 1);
}

void Outbox::Clear() {
  pool_.Give(std::exchange(open_, std::string()));
  full_ = {};
  bytes_ = 0;
}

}  // namespace aaren::rpc
