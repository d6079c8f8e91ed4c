#ifndef AAREN_CLIENT_CPP_STREAM_CALL_H_
#define AAREN_CLIENT_CPP_STREAM_CALL_H_

// A Call is a Stream rpc, from its connection to its status: at most a single write in flight, always a single read. It
// keeps gRPC's rules: the owner only takes events from the completion queue and passes them in. Threading:
// single-threaded. Every call makes its own connection: the client's backoff is the only backoff.

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "aaren/client/client.h"
#include "aaren/v1/stream.grpc.pb.h"
#include "client/cpp/channel/channel.h"

namespace aaren::client {

class Call {
 public:
  // The tags of a call on the queue are small numbers; tags above kLastTag are free for further uses.
  enum Tag : uintptr_t { kStarted = 1, kRead, kWritten, kHalfClosed, kFinished, kLastTag = kFinished };

  // Starts the call with the headers `metadata`; Hello is its first message. `stream` goes into the header
  // aaren-stream, for proxies that keep the sessions of a stream together. `among` chooses among the target's servers.
  Call(const ClientOptions& options, const Metadata& metadata, uint32_t stream, Among among,
       grpc::CompletionQueue& queue);

  // REQUIRES: done().
  ~Call() = default;

  // Takes an event of this call. True if reply() is a new message; then Read() asks for the next message.
  bool OnEvent(uintptr_t tag, bool ok);
  const v1::ServerMessage& reply() const { return reply_; }
  void Read();

  bool writable() const { return started_ && !writing_ && !half_closed_ && !broken_; }
  bool writing() const { return writing_; }

  // REQUIRES: writable(). `message` may change as soon as Write returns.
  void Write(const v1::ClientMessage& message);

  // Ends the writes: once everything sent is answered, the server ends the call.
  void HalfClose();

  // Ends the call soon, with or without the server.
  void Cancel();

  // No event is to come; `status` is valid.
  bool done() const { return finished_ && pending_ == 0; }
  absl::Status status() const;

 private:
  void* Expect(Tag tag);
  void OnStarted(bool ok);
  void Break();

  const ClientOptions& options_;
  std::unique_ptr<v1::Streaming::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream_;
  v1::ServerMessage reply_;
  grpc::Status status_;
  int pending_ = 0;  // events to come
  bool started_ = false;
  bool writing_ = false;
  bool half_close_wanted_ = false;
  bool half_closed_ = false;
  bool broken_ = false;
  bool finished_ = false;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_CALL_H_
