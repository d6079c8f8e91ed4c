#ifndef AAREN_CLIENT_CPP_MESSAGES_MESSAGE_BUILDER_H_
#define AAREN_CLIENT_CPP_MESSAGES_MESSAGE_BUILDER_H_

// A MessageBuilder is a ClientMessage under construction, used again for every write: items of many sessions are added
// until the message is full. The memory of its Tokens items survives Clear (protobuf's own Clear frees the members of a
// oneof). Threading: a plain value.

#include <cstddef>
#include <memory>
#include <vector>

#include "aaren/v1/stream.pb.h"

namespace aaren::client {

class MessageBuilder {
 public:
  // The most bytes of items, roughly; an item is added whole: callers ask room() first.
  void set_capacity(size_t bytes) { capacity_ = bytes; }

  v1::ClientItem& Add();    // an item of any kind but Tokens
  v1::Tokens& AddTokens();  // empty
  void Grow(size_t bytes) { bytes_ += bytes; }

  // Bytes left for another item after the item's framing; 0 without room.
  size_t room() const;
  bool empty() const { return message_.items_size() == 0; }
  const v1::ClientMessage& message() const { return message_; }

  void Clear();

 private:
  v1::ClientMessage message_;
  std::vector<std::unique_ptr<v1::ClientItem>> spare_;  // each holds Tokens
  size_t capacity_ = 0;
  size_t bytes_ = 0;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_MESSAGES_MESSAGE_BUILDER_H_
