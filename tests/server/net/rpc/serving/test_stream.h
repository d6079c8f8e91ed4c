#ifndef AAREN_TESTS_SERVER_NET_RPC_SERVING_TEST_STREAM_H_
#define AAREN_TESTS_SERVER_NET_RPC_SERVING_TEST_STREAM_H_

// A TestStream is the client's side of a Streaming.Stream call, an item at a time and without any cleverness: the
// test's items go over the wire unchanged. Threading: single-threaded, except that Send and Receive may be on two
// threads.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"

namespace aaren::rpc {

v1::ClientItem HelloItem();
v1::ClientItem OpenItem(uint32_t handle, const std::string& session_id);
v1::ClientItem TokensItem(uint32_t handle, uint64_t first_seq, const std::vector<float>& values);
v1::ClientItem CloseItem(uint32_t handle);

class TestStream {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;
  explicit TestStream(const std::shared_ptr<grpc::Channel>& channel, const Metadata& metadata = {});
  ~TestStream();  // cancels the call unless ended

  // False if the stream has ended.
  bool Send(const std::vector<v1::ClientItem>& items);
  bool Send(const v1::ClientItem& item) { return Send(std::vector<v1::ClientItem>{item}); }

  // The next item; empty after the stream's end.
  v1::ServerItem Receive();

  // Says Hello and waits for Welcome.
  v1::Welcome Greet();

  // Opens and waits for Opened. The rest of the Open may be given.
  v1::Opened Open(const v1::ClientItem& open);
  v1::Opened Open(uint32_t handle, const std::string& session_id) { return Open(OpenItem(handle, session_id)); }

  void HalfClose() { stream_->WritesDone(); }
  void Cancel() { context_.TryCancel(); }

  // Reads on to the end.
  grpc::Status Finish();

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::Streaming::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream_;
  v1::ServerMessage message_;
  int next_ = 0;
  bool finished_ = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_TESTS_SERVER_NET_RPC_SERVING_TEST_STREAM_H_
