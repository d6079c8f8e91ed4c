#ifndef AAREN_CLIENT_CPP_STREAM_CALL_H_
#define AAREN_CLIENT_CPP_STREAM_CALL_H_

// A Call is one Stream rpc, from its connection to its status: at most one write in flight, always one read. It keeps
// gRPC's rules, so that its owner only takes events from the completion queue and passes them in.
// Threading: one thread. Every call makes a connection of its own, so the client's backoff is the only one.

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "aaren/client/client.h"
#include "aaren/v1/stream.grpc.pb.h"
#include "client/cpp/channel/channel.h"

namespace aaren::client {

class Call {
 public:
  // The tags of a call on the queue are small numbers; those above kLastTag are free for other uses.
  enum Tag : uintptr_t { kStarted = 1, kRead, kWritten, kHalfClosed, kFinished, kLastTag = kFinished };

  // Starts the call with these headers; Hello is its first message. `stream` goes into the header aaren-stream, for
  // proxies that keep the sessions of one stream together. `among` says which of the target's servers may get it.
  Call(const ClientOptions& options, const Metadata& metadata, uint32_t stream, Among among,
       grpc::CompletionQueue& queue);

  // REQUIRES: done().
  ~Call() = default;

  // Takes one of this call's events. True if reply() is a new message; then Read() asks for the next one.
  bool OnEvent(uintptr_t tag, bool ok);
  const v1::ServerMessage& reply() const { return reply_; }
  void Read();

  bool writable() const { return started_ && !writing_ && !half_closed_ && !broken_; }
  bool writing() const { return writing_; }

  // REQUIRES: writable(). `message` may change as soon as this returns.
  void Write(const v1::ClientMessage& message);

  // No more writes: once what was sent is answered, the server ends the call.
  void HalfClose();

  // Ends the call soon, whatever the server does.
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
