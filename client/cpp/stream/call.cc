#include "client/cpp/stream/call.h"

#include <string>

#include "client/cpp/messages/rpc_status.h"
#include "client/cpp/messages/values.h"

namespace aaren::client {

Call::Call(const ClientOptions& options, const Metadata& metadata, uint32_t stream, Among among,
           grpc::CompletionQueue& queue)
    : options_(options), stub_(v1::Streaming::NewStub(MakeChannel(options.target, options.channel, among))) {
  AddMetadata(metadata, context_);
  context_.AddMetadata("aaren-stream", std::to_string(stream));
  stream_ = stub_->PrepareAsyncStream(&context_, &queue);
  stream_->StartCall(Expect(kStarted));
}

void* Call::Expect(Tag tag) {
  ++pending_;
  return reinterpret_cast<void*>(tag);
}

bool Call::OnEvent(uintptr_t tag, bool ok) {
  --pending_;
  switch (tag) {
    case kStarted:
      OnStarted(ok);
      return false;
    case kRead:
      // A failed read means that the call has ended: Finish brings the status.
      if (!ok) Break();
      return ok;
    case kWritten:
      // A failed write needs no answer: a failed read follows.
      writing_ = false;
      if (half_close_wanted_ && ok) HalfClose();
      return false;
    case kFinished:
      finished_ = true;
      return false;
    default:
      return false;
  }
}

void Call::OnStarted(bool ok) {
  if (!ok) return Break();
  started_ = true;
  v1::ClientMessage message;
  v1::Hello& hello = *message.add_items()->mutable_hello();
  hello.set_protocol_version(kProtocolVersion);
  hello.set_client(options_.name);
  Write(message);
  Read();
}

void Call::Read() { stream_->Read(&reply_, Expect(kRead)); }

void Call::Write(const v1::ClientMessage& message) {
  writing_ = true;
  stream_->Write(message, Expect(kWritten));
}

void Call::HalfClose() {
  half_close_wanted_ = true;
  // The half-close follows the write under way.
  if (!writable()) return;
  half_closed_ = true;
  stream_->WritesDone(Expect(kHalfClosed));
}

void Call::Cancel() { context_.TryCancel(); }

void Call::Break() {
  broken_ = true;
  stream_->Finish(&status_, Expect(kFinished));
}

absl::Status Call::status() const { return FromGrpc(status_); }

}  // namespace aaren::client
