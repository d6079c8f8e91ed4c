#include "client/load/load_call.h"

#include <algorithm>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/cpp/channel/channel.h"

namespace aaren::client {
namespace {

constexpr char kMethod[] = "/aaren.v1.Streaming/Stream";

// Time for gRPC's second attempt, a second after the first: gRPC 1.51 reads `errno` late after connect(), and at times
// takes a connection under way for a failed connection.
constexpr absl::Duration kConnectTimeout = absl::Seconds(2);

enum Tag : uintptr_t { kStarted = 1, kRead, kWritten, kFinished };

gpr_timespec ToGpr(int64_t from_now) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(std::max<int64_t>(0, from_now), GPR_TIMESPAN));
}

}  // namespace

LoadCall::~LoadCall() {
  context_.TryCancel();
  queue_.Shutdown();
  void* tag;
  bool ok;
  // gRPC wants a queue to be empty at its end.
  while (queue_.Next(&tag, &ok)) {
  }
}

absl::Status LoadCall::Start(const LoadOptions& options) {
  const absl::StatusOr<Metadata> metadata = CallMetadata(options.channel);
  if (!metadata.ok()) return metadata.status();
  AddMetadata(*metadata, context_);
  const auto channel = MakeChannel(options.target, options.channel);
  channel->WaitForConnected(absl::ToChronoTime(absl::Now() + kConnectTimeout));
  call_ = grpc::GenericStub(channel).PrepareCall(&context_, kMethod, &queue_);
  call_->StartCall(reinterpret_cast<void*>(kStarted));
  ++pending_;
  return absl::OkStatus();
}

LoadCall::Event LoadCall::Next(int64_t wait) {
  void* tag = nullptr;
  bool ok = false;
  if (queue_.AsyncNext(&tag, &ok, ToGpr(wait)) != grpc::CompletionQueue::GOT_EVENT) return Event::kNone;
  --pending_;
  switch (reinterpret_cast<uintptr_t>(tag)) {
    case kWritten:
      writing_ = false;
      return Event::kWritten;
    case kFinished:
      return Event::kEnded;
    default:
      if (ok) return reinterpret_cast<uintptr_t>(tag) == kStarted ? Event::kStarted : Event::kReply;
      Finish();
      return Event::kBroken;
  }
}

void LoadCall::Read() {
  call_->Read(&reply_, reinterpret_cast<void*>(kRead));
  ++pending_;
}

void LoadCall::Write(absl::Span<const uint8_t> bytes) {
  grpc::Slice slice(bytes.data(), bytes.size());
  call_->Write(grpc::ByteBuffer(&slice, 1), reinterpret_cast<void*>(kWritten));
  writing_ = true;
  ++pending_;
}

void LoadCall::Break() {
  Cancel();
  Finish();
}

void LoadCall::Finish() {
  if (broken_) return;
  broken_ = true;
  call_->Finish(&status_, reinterpret_cast<void*>(kFinished));
  ++pending_;
}

}  // namespace aaren::client
