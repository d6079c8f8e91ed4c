#include "server/rpc/streams/stream_group.h"

#include <algorithm>
#include <utility>

#include "server/rpc/limits/connection_limits.h"
#include "server/rpc/messages/grpc_status.h"
#include "server/rpc/streams/stream.h"
#include "server/session/refusal.h"

namespace aaren::rpc {
namespace {

constexpr size_t kMostUnread = 4 << 20;  // of one stream
constexpr size_t kSmallMessage = 16 << 10;
constexpr size_t kSmallHeaders = 4 << 10;
constexpr int kVisits = 16;                         // between two looks at the clock
constexpr absl::Duration kWalk = absl::Seconds(1);  // from one over all streams to the next

}  // namespace

StreamGroup::StreamGroup(StreamingService& service, grpc::ServerCompletionQueue& queue, shard::SessionShard& shard,
                         v1::Limits welcome, const StreamLimits& limits, const session::Clock& clock, int& calls,
                         LastWords& last_words, HeardOf heard_of, const identity::Callers* callers)
    : service_(service),
      queue_(queue),
      shard_(shard),
      welcome_(std::move(welcome)),
      limits_(limits),
      clock_(clock),
      calls_(calls),
      last_words_(last_words),
      heard_of_(std::move(heard_of)),
      callers_(callers) {}

grpc::Status GoneStatus() { return ToGrpcStatus(session::ShuttingDown()); }

void StreamGroup::Accept() { new Stream(*this); }

bool StreamGroup::HasRoom(size_t unread) const {
  if (unread == 0) return true;
  const size_t left = limits_.unread_bytes - std::min(limits_.unread_bytes, unread_bytes_);
  return unread < std::min(kMostUnread, left / 2);
}

void StreamGroup::CountUnread(ptrdiff_t bytes) {
  unread_bytes_ += static_cast<size_t>(bytes);
  counters_.unread_bytes.Set(unread_bytes_);
}

bool StreamGroup::TakeInput(size_t bytes) {
  const size_t left = limits_.input_bytes - std::min(limits_.input_bytes, input_bytes_);
  const bool alone = input_bytes_ == 0 && bytes <= limits_.input_bytes;
  if (bytes > kSmallMessage && bytes > left / 2 && !alone) return false;
  input_bytes_ += bytes;
  return true;
}

bool StreamGroup::TakeHeaders(size_t bytes) {
  const size_t left = limits_.input_bytes - std::min(limits_.input_bytes, header_bytes_);
  if (bytes > kSmallHeaders && bytes > left / 2) return false;
  header_bytes_ += bytes;
  return true;
}

bool StreamGroup::HandleInput(absl::Duration at_most) {
  // What the shard did not admit is offered again, a few streams a round.
  for (int i = 0; i < kVisits && !waiting_.empty(); ++i) {
    Stream* stream = waiting_.Take(clock_.NowNanos());
    if (stream == nullptr) break;
    stream->OnOffered();
  }
  if (input_.empty()) return false;
  const int64_t deadline = clock_.NowNanos() + absl::ToInt64Nanoseconds(at_most);
  bool any = false;
  do {
    Stream* stream = input_.front();
    input_.pop_front();
    if (stream != nullptr) any |= stream->HandleItems();
  } while (!input_.empty() && clock_.NowNanos() < deadline);
  return any;
}

void StreamGroup::Flush(absl::Duration at_most) {
  if (touched_.empty()) return;
  const int64_t deadline = clock_.NowNanos() + absl::ToInt64Nanoseconds(at_most);
  for (size_t left = touched_.size(); left > 0; --left) {
    Stream* stream = touched_.front();
    touched_.pop_front();
    if (stream != nullptr) stream->Flush();
    if (left % kVisits == 0 && clock_.NowNanos() > deadline) return;
  }
}

bool StreamGroup::MayHaveMore(const std::string& peer) const {
  const auto found = of_peers_.find(peer);
  return found == of_peers_.end() || found->second < 2 * kStreamsOfConnection;
}

void StreamGroup::ForgetOf(const std::string& peer) {
  const auto found = of_peers_.find(peer);
  if (--found->second == 0) of_peers_.erase(found);
}

void StreamGroup::EndStale(absl::Duration at_most) {
  const absl::Time now = clock_.Now();
  if (walked_ >= walk_to_) {
    if (now < next_walk_) return;
    BeginWalk(now);
  }
  const absl::Time wall = clock_.Wall(), deadline = now + at_most;
  int visits = 0;
  for (auto next = streams_.upper_bound(walked_); next != streams_.end() && next->first <= walk_to_; ++next) {
    if (++visits % kVisits == 0 && clock_.Now() > deadline) return;
    walked_ = next->first;
    next->second->EndIfStale(now);
    if (check_all_ || next->second->caller_ends() <= wall) next->second->CheckCaller(checked_, wall);
  }
  walked_ = walk_to_;
}

// Streams that begin meanwhile may have callers whom only a later list knows.
void StreamGroup::BeginWalk(absl::Time now) {
  next_walk_ = now + kWalk;
  walked_ = 0;
  walk_to_ = last_number_;
  if (callers_ == nullptr) return;
  identity::Callers::Known known = callers_->Get();
  check_all_ = !(known == checked_);
  checked_ = std::move(known);
}

std::vector<StreamInfo> StreamGroup::Describe(uint64_t after, size_t most) const {
  const absl::Time now = clock_.Now();
  std::vector<StreamInfo> infos;
  for (auto next = streams_.upper_bound(after); next != streams_.end() && infos.size() < most; ++next) {
    infos.push_back(next->second->Describe(now));
  }
  return infos;
}

void StreamGroup::Drain(absl::Duration deadline) {
  draining_ = true;
  for (const auto& [number, stream] : streams_) stream->Drain(deadline);
}

void StreamGroup::Close() {
  for (const auto& [number, stream] : streams_) stream->End(GoneStatus());
}

void StreamGroup::Cancel() {
  for (const auto& [number, stream] : streams_) stream->Cancel();
}

}  // namespace aaren::rpc
