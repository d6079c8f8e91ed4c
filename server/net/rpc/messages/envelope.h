#ifndef AAREN_SERVER_NET_RPC_MESSAGES_ENVELOPE_H_
#define AAREN_SERVER_NET_RPC_MESSAGES_ENVELOPE_H_

// The envelopes of a stream, ClientMessage and ServerMessage, as bytes: a message is a row of items, and an item is one
// field of a oneof. Envelopes are walked and appended here; the generated code sees only the content of an item. That
// has two uses. A merged reply is the bytes of its items, without objects in between. And the object of an item's
// content can be reused, while the generated code of a oneof frees the content with every Clear.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "google/protobuf/message_lite.h"

namespace aaren::rpc {

// Reads the items of a ClientMessage. The bytes must outlive the reader. Fields of later versions are passed over, a
// few thousand a message: the walk past millions of them would keep the shard's thread.
class ItemReader {
 public:
  enum class Result { kItem, kEnd, kMalformed };

  static constexpr size_t kMostUnknown = 4096;

  ItemReader() = default;
  explicit ItemReader(std::string_view message) : rest_(message) {}

  // Moves to the next item; afterwards field() is the item's number in ClientItem (0: the item is empty) and content()
  // the item's bytes.
  Result Next();

  uint32_t field() const { return field_; }
  std::string_view content() const { return content_; }

 private:
  std::string_view rest_;
  uint32_t field_ = 0;
  std::string_view content_;
  size_t unknown_left_ = kMostUnknown;
};

// Appends one item, `content` as field `field` of ServerItem, to the bytes of a ServerMessage.
void AppendItem(uint32_t field, const google::protobuf::MessageLite& content, std::string& message);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_MESSAGES_ENVELOPE_H_
