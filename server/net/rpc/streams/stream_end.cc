// How a stream ends: by the server's leave, by a broken contract, by time, or by the caller's removal. How a stream
// moves messages is in stream.cc.

#include <utility>

#include "server/net/rpc/messages/convert.h"
#include "server/net/rpc/messages/grpc_status.h"
#include "server/net/rpc/streams/stream.h"
#include "server/operate/log/log.h"
#include "server/sessions/session/refusal.h"

namespace aaren::rpc {

grpc::Status GoneStatus() { return ToGrpcStatus(session::ShuttingDown()); }

// A client that is still to say Hello is turned away, like later clients: nothing comes before Welcome.
void Stream::Drain(absl::Duration deadline) {
  if (!life_.greeted()) return End(GoneStatus());
  if (!life_.takes_items()) return;  // the stream ends already
  v1::Draining draining;
  draining.set_deadline_ms(absl::ToInt64Milliseconds(deadline));
  outgoing_.Append(v1::ServerItem::kDraining, draining);
}

void Stream::Look(const StreamLook& look) {
  EndIfStale(look.now);
  if (look.callers_changed || member_.caller().ends <= look.wall) CheckCaller(look);
}

void Stream::EndIfStale(absl::Time now) {
  if (life_.finishing()) return;
  StreamLife::Signs signs{.writing = outgoing_.writing(), .writing_since = outgoing_.writing_since()};
  if (!life_.struck_out()) {  // the shard has forgotten a stream that was struck out
    signs.in_use = signs.writing || incoming_.handling() || shard().HasHandles(peer_);
    // Tokens of a client that does not read stay in the queue, and may leave no room for the tokens of others.
    signs.in_the_way = signs.writing && shard().QueueIsFull(peer_) && shard().Owes(peer_);
  }
  switch (life_.Look(signs, commons_.host.limits, now)) {
    case StreamLife::Verdict::kStays:
      return;
    case StreamLife::Verdict::kNoLastWord:
      return Cancel();
    case StreamLife::Verdict::kUnread:
      return CutOffUnread();
    case StreamLife::Verdict::kNoHello:
      commons_.counters.timed_out.Add(1);
      return Fail(absl::DeadlineExceededError("Hello did not come in time"));
    case StreamLife::Verdict::kNothingIsOpen:
      commons_.counters.timed_out.Add(1);
      return Fail(absl::DeadlineExceededError("no session was open on the stream for too long"));
  }
}

void Stream::CutOffUnread() {
  commons_.counters.timed_out.Add(1);
  log::Log(log::LogLevel::kInfo, "stream cut off: its client does not read", {{"peer", member_.peer()}});
  Cancel();
}

// The sessions are at rest from now on, whether the client hears of the end or not. A client that does not read is cut
// off a second later.
void Stream::CheckCaller(const StreamLook& look) {
  if (life_.finishing() || life_.struck_out()) return;
  const std::optional<session::Refusal> why = member_.WhyStruckOut(look.callers, look.wall);
  if (!why) return;
  life_.StrikeOut(look.now);
  shard().Disconnect(peer_);
  if (!life_.ending()) Fail(*why);
}

void Stream::Fail(const absl::Status& status) { Fail(session::PlainRefusal(status)); }

void Stream::Fail(const session::Refusal& refusal) {
  LogRefused(refusal);
  EndFor(refusal);
}

void Stream::EndFor(const session::Refusal& refusal) {
  peer_.TellEnd(refusal);
  End(ToGrpcStatus(refusal));
}

void Stream::LogRefused(const session::Refusal& refusal) {
  const std::string reason = refusal.status.ToString();
  const std::string trace = traces_ != nullptr ? traces_->CurrentId() : "";
  if (trace.empty()) {
    return log::Log(log::LogLevel::kInfo, "stream refused", {{"peer", member_.peer()}, {"reason", reason}});
  }
  traces_->NoteRefused(refusal);
  log::Log(log::LogLevel::kInfo, "stream refused", {{"peer", member_.peer()}, {"reason", reason}, {"trace_id", trace}});
}

void Stream::End(grpc::Status status) {
  if (life_.End(std::move(status))) outgoing_.AskForFlush();
}

void Stream::Cancel() {
  if (life_.Cancel()) context_.TryCancel();
}

void Stream::Finish(const grpc::Status& status) {
  life_.Finish();
  shard().Disconnect(peer_);  // first of all: from here on the shard does not call the peer any more
  traces_.reset();
  outgoing_.Close();
  incoming_.Drop();
  commons_.host.last_words.Begin(last_word_, [this] { Cancel(); });
  io_.Finish(status, &finished_);
}

void Stream::OnFinished(bool) {
  life_.Finished();
  DeleteIfDone();
}

// Tags of a read and a write under way come back after Finish too, and point into this object.
void Stream::DeleteIfDone() {
  if (life_.over() && !incoming_.reading() && !outgoing_.writing()) delete this;
}

}  // namespace aaren::rpc
