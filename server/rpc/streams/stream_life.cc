// The life of a stream: who may have one, and when it ends. What it carries is in stream.cc.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/accept/peer_name.h"
#include "server/log/log.h"
#include "server/rpc/caller.h"
#include "server/rpc/messages/convert.h"
#include "server/rpc/messages/grpc_status.h"
#include "server/rpc/streams/stream.h"
#include "server/session/refusal.h"

namespace aaren::rpc {
namespace {

constexpr absl::Duration kInTheWay = absl::Seconds(1);
constexpr absl::Duration kLastSecond = absl::Seconds(1);

// gRPC 1.51 keeps some 140 bytes beside each field of a header, and the field twice.
size_t HeaderBytes(const grpc::ServerContext& context) {
  constexpr size_t kField = 140;
  size_t bytes = 0;
  for (const auto& [name, value] : context.client_metadata()) bytes += kField + 2 * (name.size() + value.size());
  return bytes;
}

// Empties the place of `stream` in one of the group's lists.
void Forget(Stream* stream, std::deque<Stream*>& list) {
  std::replace(list.begin(), list.end(), stream, static_cast<Stream*>(nullptr));
}

}  // namespace

Stream::Stream(StreamGroup& group) : group_(group), count_(group.calls_), io_(&context_), outbox_(group.buffers_) {
  group_.service_.RequestStream(&context_, &io_, &group_.queue_, &group_.queue_, &accepted_);
}

Stream::~Stream() {
  if (touched_) Forget(this, group_.touched_);
  if (in_input_) Forget(this, group_.input_);
  if (in_waiting_) group_.waiting_.Forget(*this, account);
  if (placed_) account->streams.Give();
  group_.CountUnread(-static_cast<ptrdiff_t>(outbox_.bytes() + writing_bytes_));
  group_.GiveHeaders(header_bytes_);
  if (!counted_) return;
  group_.ForgetOf(peer_);
  group_.streams_.erase(number_);
  group_.counters_.closed.Add(1);
}

void Stream::OnAccepted(bool ok) {
  if (!ok) return delete this;  // the server has shut down
  // The next call is waited for at once, whatever becomes of this one.
  group_.last_words_.WhenFew([&group = group_] { group.Accept(); });
  if (group_.draining_) return Finish(GoneStatus());
  heard_ = group_.FindHeard(context_.peer());
  NoteHeard();
  if (Refused()) return;
  counted_ = true;
  number_ = ++group_.last_number_;
  group_.streams_.emplace(number_, this);
  ++group_.of_peers_[peer_];
  group_.counters_.opened.Add(1);
  since_ = opened_ = group_.clock_.Now();
  Read();
}

// One too many, or of somebody who may have none.
std::optional<session::Refusal> Stream::WhyRefused() {
  session::Outcome<identity::Caller> caller =
      CallerOf(context_, group_.callers_, identity::Role::kStream, group_.clock_);
  if (caller.refusal) return std::move(caller.refusal);
  caller_ = std::move(caller.value);
  account = caller_.account;
  placed_ = account != nullptr && account->streams.TryTake();
  if (account != nullptr && !placed_) {
    account->NoteLimited(identity::Account::Limit::kStreams);
    return session::TooManyStreams(*account);
  }
  peer_ = context_.peer();
  if (!group_.MayHaveMore(peer_)) {
    return session::OverQuota("streams", "the connection has more streams than it may have", absl::Seconds(1));
  }
  const size_t header_bytes = HeaderBytes(context_);
  if (!group_.TakeHeaders(header_bytes)) {
    return session::OverQuota("headers", "the headers of streams that are open here hold too much", absl::Seconds(1));
  }
  header_bytes_ = header_bytes;
  if (group_.streams_.size() < group_.limits_.streams) return std::nullopt;
  const std::string problem = absl::StrCat(group_.limits_.streams, " streams are open here, which is the limit");
  return session::OverQuota("streams", problem, absl::Seconds(1));
}

bool Stream::Refused() {
  const std::optional<session::Refusal> refusal = WhyRefused();
  if (!refusal) return false;
  group_.counters_.refused.Add(1);
  Finish(ToGrpcStatus(*refusal));
  return true;
}

// A client that is still to say Hello is turned away, like those that come later: nothing comes before Welcome.
void Stream::Drain(absl::Duration deadline) {
  if (!greeted_) return End(GoneStatus());
  v1::Draining draining;
  draining.set_deadline_ms(absl::ToInt64Milliseconds(deadline));
  Append(v1::ServerItem::kDraining, draining);
}

StreamInfo Stream::Describe(absl::Time now) const {
  StreamInfo info{.number = number_,
                  .peer = accept::NormalPeer(context_.peer()),
                  .tenant = caller_.tenant,
                  .role = caller_.role,
                  .age = now - opened_,
                  .use = group_.shard_.UseOf(*this),
                  .unread_bytes = outbox_.bytes() + writing_bytes_,
                  .reading = reading_};
  if (writing_) info.unread_since = now - writing_since_;
  return info;
}

// Nobody is there, or nobody who does anything.
void Stream::EndIfStale(absl::Time now) {
  const StreamLimits& limits = group_.limits_;
  if (finishing_) return;
  if (struck_out_ && now - struck_out_at_ >= kLastSecond) return Cancel();  // it was told, and does not read
  if (struck_out_) return;
  // Tokens of a client that does not read stay where they are: when they leave no room for those of others, it must go.
  const bool in_the_way = group_.shard_.QueueIsFull(*this) && group_.shard_.Owes(*this);
  if (writing_ && now - writing_since_ > (in_the_way ? kInTheWay : limits.unread)) {
    group_.counters_.timed_out.Add(1);
    log::Log(log::LogLevel::kInfo, "stream cut off: its client does not read", {{"peer", context_.peer()}});
    return Cancel();
  }
  if (ending_.has_value()) return;  // it finishes when that write is done
  if (group_.shard_.HasHandles(*this) || handling_ || writing_) {
    since_ = now;
  } else if (const absl::Duration limit = greeted_ ? limits.unused : limits.hello;
             limit > absl::ZeroDuration() && now - since_ > limit) {
    group_.counters_.timed_out.Add(1);
    Fail(absl::DeadlineExceededError(greeted_ ? "no session was open on the stream for too long"
                                              : "Hello did not come in time"));
  }
}

// Its sessions are at rest from now on, whether it hears of it or not.
void Stream::CheckCaller(const identity::Callers::Known& callers, absl::Time wall) {
  if (finishing_ || struck_out_) return;
  const std::optional<identity::Caller> caller = callers.Still(caller_, wall);
  const bool known = caller.has_value() && caller->tenant == caller_.tenant;
  if (known && caller->role >= identity::Role::kStream) {
    caller_.role = caller->role;
    return;
  }
  StrikeOut(known ? session::PermissionDenied(identity::NameOf(caller->role), identity::NameOf(identity::Role::kStream))
                  : session::StruckOut());
}

// One whose client does not read is cut off a second later.
void Stream::StrikeOut(const session::Refusal& why) {
  struck_out_ = true;
  struck_out_at_ = group_.clock_.Now();
  group_.shard_.Disconnect(*this);
  if (!ending_.has_value()) Fail(why);
}

void Stream::Fail(const absl::Status& status) { Fail(session::PlainRefusal(status)); }

void Stream::LogRefused(const session::Refusal& refusal) {
  const std::string reason = refusal.status.ToString();
  const std::string trace = traces_ != nullptr ? traces_->CurrentId() : "";
  if (trace.empty()) {
    return log::Log(log::LogLevel::kInfo, "stream refused", {{"peer", context_.peer()}, {"reason", reason}});
  }
  traces_->NoteRefused(refusal);
  log::Log(log::LogLevel::kInfo, "stream refused",
           {{"peer", context_.peer()}, {"reason", reason}, {"trace_id", trace}});
}

void Stream::Fail(const session::Refusal& refusal) {
  LogRefused(refusal);
  v1::Failed failed;
  *failed.mutable_status() = ToRpcStatus(refusal);
  Append(v1::ServerItem::kFailed, failed);
  End(ToGrpcStatus(refusal));
}

void Stream::End(grpc::Status status) {
  if (finishing_ || ending_.has_value()) return;
  ending_ = std::move(status);
  Touch();
}

void Stream::Finish(const grpc::Status& status) {
  finishing_ = true;
  // First of all: from here on the shard does not call this object any more.
  group_.shard_.Disconnect(*this);
  traces_.reset();
  group_.CountUnread(-static_cast<ptrdiff_t>(outbox_.bytes()));
  outbox_.Clear();
  if (handling_) DropMessage();
  handling_ = false;
  group_.last_words_.Begin(last_word_, [this] { Cancel(); });
  io_.Finish(status, &finished_);
}

void Stream::OnFinished(bool) {
  finished_done_ = true;
  DeleteIfDone();
}

void Stream::DeleteIfDone() {
  // Tags of a read and a write under way come back after Finish too, and point into this object.
  if (finished_done_ && !reading_ && !writing_) delete this;
}

}  // namespace aaren::rpc
