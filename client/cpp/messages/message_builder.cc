#include "client/cpp/messages/message_builder.h"

#include <utility>

namespace aaren::client {
namespace {

constexpr size_t kFraming = 64;  // tags, lengths, handle, first_seq and delivered_seq of an item

}  // namespace

v1::ClientItem& MessageBuilder::Add() {
  bytes_ += kFraming;
  return *message_.add_items();
}

v1::Tokens& MessageBuilder::AddTokens() {
  // Items of earlier messages are used again, with the memory of their arrays.
  if (spare_.empty()) return *Add().mutable_tokens();
  bytes_ += kFraming;
  v1::ClientItem* item = spare_.back().release();
  spare_.pop_back();
  // Clearing the Tokens keeps the memory of the arrays; clearing the item would free the Tokens.
  item->mutable_tokens()->Clear();
  message_.mutable_items()->AddAllocated(item);
  return *item->mutable_tokens();
}

size_t MessageBuilder::room() const {
  const size_t used = bytes_ + kFraming;
  return used >= capacity_ ? 0 : capacity_ - used;
}

void MessageBuilder::Clear() {
  while (message_.items_size() > 0) {
    std::unique_ptr<v1::ClientItem> item(message_.mutable_items()->ReleaseLast());
    if (item->has_tokens()) spare_.push_back(std::move(item));
  }
  bytes_ = 0;
}

}  // namespace aaren::client
