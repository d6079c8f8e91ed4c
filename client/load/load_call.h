#ifndef AAREN_CLIENT_LOAD_LOAD_CALL_H_
#define AAREN_CLIENT_LOAD_LOAD_CALL_H_

// A LoadCall is the gRPC call of a LoadStream: messages of bytes in both directions, at most one read and one write
// under way. Events come from Next. A call that breaks is finished at once.
//
// Threading: belongs to one thread.

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "client/load/load.h"

namespace aaren::client {

class LoadCall {
 public:
  // kNone: the wait is over. kBroken: no reply will come any more, and kEnded follows.
  enum class Event { kNone, kStarted, kReply, kWritten, kBroken, kEnded };

  LoadCall() = default;
  ~LoadCall();

  // Connects, and starts the call. An error of the metadata: the call was not started.
  absl::Status Start(const LoadOptions& options);

  // Waits at most `wait` nanoseconds. After kStarted and kReply the caller reads on or breaks.
  Event Next(int64_t wait);
  void Read();
  grpc::ByteBuffer& reply() { return reply_; }  // after kReply

  // Copies the bytes. REQUIRES: !writing().
  void Write(absl::Span<const uint8_t> bytes);
  bool writing() const { return writing_; }

  void Cancel() { context_.TryCancel(); }
  void Break();  // cancels, and reads no more

  bool broken() const { return broken_; }
  bool pending() const { return pending_ > 0; }           // events are to come
  const grpc::Status& status() const { return status_; }  // after kEnded

 private:
  void Finish();

  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer reply_;
  grpc::Status status_;
  int pending_ = 0;  // events to come
  bool writing_ = false;
  bool broken_ = false;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LOAD_LOAD_CALL_H_
