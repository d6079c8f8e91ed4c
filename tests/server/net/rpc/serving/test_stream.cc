#include "tests/server/net/rpc/serving/test_stream.h"

#include <gtest/gtest.h>

namespace aaren::rpc {

v1::ClientItem HelloItem() {
  v1::ClientItem item;
  item.mutable_hello()->set_protocol_version(1);
  return item;
}

v1::ClientItem OpenItem(uint32_t handle, const std::string& session_id) {
  v1::ClientItem item;
  item.mutable_open()->set_handle(handle);
  item.mutable_open()->set_session_id(session_id);
  return item;
}

v1::ClientItem TokensItem(uint32_t handle, uint64_t first_seq, const std::vector<float>& values) {
  v1::ClientItem item;
  item.mutable_tokens()->set_handle(handle);
  item.mutable_tokens()->set_first_seq(first_seq);
  item.mutable_tokens()->mutable_values()->Add(values.begin(), values.end());
  return item;
}

v1::ClientItem CloseItem(uint32_t handle) {
  v1::ClientItem item;
  item.mutable_close()->set_handle(handle);
  return item;
}

TestStream::TestStream(const std::shared_ptr<grpc::Channel>& channel, const Metadata& metadata)
    : stub_(v1::Streaming::NewStub(channel)) {
  for (const auto& [name, value] : metadata) context_.AddMetadata(name, value);
  context_.set_wait_for_ready(true);
  stream_ = stub_->Stream(&context_);
}

TestStream::~TestStream() {
  if (finished_) return;
  Cancel();
  Finish();
}

bool TestStream::Send(const std::vector<v1::ClientItem>& items) {
  v1::ClientMessage message;
  for (const v1::ClientItem& item : items) *message.add_items() = item;
  return stream_->Write(message);
}

v1::ServerItem TestStream::Receive() {
  while (next_ == message_.items_size()) {
    next_ = 0;
    if (!stream_->Read(&message_)) {
      message_.Clear();
      return v1::ServerItem();
    }
  }
  return message_.items(next_++);
}

v1::Welcome TestStream::Greet() {
  EXPECT_TRUE(Send(HelloItem()));
  return Receive().welcome();
}

v1::Opened TestStream::Open(const v1::ClientItem& open) {
  EXPECT_TRUE(Send(open));
  const v1::ServerItem item = Receive();
  EXPECT_TRUE(item.has_opened()) << item.DebugString();
  return item.opened();
}

grpc::Status TestStream::Finish() {
  finished_ = true;
  while (stream_->Read(&message_)) {
  }
  return stream_->Finish();
}

}  // namespace aaren::rpc
