#include "server/rpc/stream_group.h"

#include <utility>

#include "server/rpc/grpc_status.h"
#include "server/rpc/stream.h"

namespace aaren::rpc {

StreamGroup::StreamGroup(StreamingService& service, grpc::ServerCompletionQueue& queue, SessionShard& shard,
                         const ShardOptions& options, v1::Limits limits, int& calls)
    : service_(service),
      queue_(queue),
      shard_(shard),
      max_step_tokens_(options.max_step_tokens),
      limits_(std::move(limits)),
      calls_(calls) {}

grpc::Status GoneStatus() {
  Refusal refusal;
  refusal.status = absl::UnavailableError("the server is shutting down");
  refusal.retry_after = absl::Seconds(1);
  return ToGrpcStatus(refusal);
}

void StreamGroup::Accept() { new Stream(*this); }

// The queue is taken oldest first, and two steps together take more than max_step_tokens if there are as many.
uint64_t StreamGroup::RoundOfLastToken() const {
  const uint64_t waiting = shard_.counters().queued_tokens.value();
  return waiting == 0 ? rounds_ : rounds_ + 2 * (waiting / max_step_tokens_ + 1);
}

void StreamGroup::Flush() {
  ++rounds_;
  if (!waiting_.empty() && !shard_.Full()) {
    for (Stream* stream : std::exchange(waiting_, {})) {
      if (stream != nullptr) stream->StopWaiting();
    }
  }
  flushing_.swap(touched_);
  for (Stream* stream : flushing_) {
    if (stream != nullptr) stream->Flush();
  }
  flushing_.clear();
}

void StreamGroup::Drain(absl::Duration deadline) {
  draining_ = true;
  for (Stream* stream : streams_) stream->SendDraining(deadline);
}

void StreamGroup::Close() {
  for (Stream* stream : streams_) stream->End(GoneStatus());
}

void StreamGroup::Cancel() {
  for (Stream* stream : streams_) stream->Cancel();
}

}  // namespace aaren::rpc
