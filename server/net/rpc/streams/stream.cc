// How a stream moves messages: reads, turns, writes. How a stream ends is in stream_end.cc.

#include "server/net/rpc/streams/stream.h"

#include <optional>
#include <utility>

#include "server/net/rpc/caller.h"
#include "server/net/rpc/messages/grpc_status.h"

namespace aaren::rpc {

Stream::Stream(StreamCommons& commons)
    : commons_(commons),
      count_(commons.host.calls),
      member_(commons),
      incoming_(*this, commons.input, commons.with_items, commons.waiting),
      outgoing_(*this, commons.buffers, commons.unread, commons.to_flush),
      peer_(incoming_, outgoing_, commons.forecasts),
      handler_(commons, {member_, life_, incoming_, outgoing_, peer_}) {
  commons.host.service.RequestStream(&context_, &io_, &commons.host.queue, &commons.host.queue, &accepted_);
}

void Stream::OnAccepted(bool ok) {
  if (!ok) return delete this;  // the server has shut down
  // The wait for the next call begins at once, whatever becomes of the present call.
  commons_.host.last_words.WhenFew([&commons = commons_] { Accept(commons); });
  if (commons_.phase != StreamCommons::Phase::kServing) return Finish(GoneStatus());
  if (const std::optional<session::Refusal> refusal = member_.Join(*this, context_)) {
    return Finish(ToGrpcStatus(*refusal));
  }
  peer_.account = member_.caller().account;
  life_.Begin(member_.joined());
  Read();
}

void Stream::Read() { io_.Read(incoming_.BeginRead(), &read_); }

void Stream::OnRead(bool ok) {
  incoming_.EndRead();
  if (life_.finishing()) return DeleteIfDone();
  if (!ok) {
    // gRPC reports a client with no more to send like a gone client: a write will tell.
    incoming_.Close();
    return outgoing_.AskForFlush();
  }
  if (absl::Status status = incoming_.Take(commons_.host.welcome.message_bytes()); !status.ok()) return Fail(status);
  commons_.counters.messages_received.Add(1);
  commons_.counters.bytes_received.Add(incoming_.message_bytes());
  if (!incoming_.BeginMessage()) {
    return EndFor(session::OverQuota("input", "too many messages wait here to be handled", absl::Seconds(1)));
  }
  if (shard().tracer() != nullptr && shard().tracer()->Samples()) BeginTrace();
  // The first turn is now, unless streams are in line: behind a line a stream's many messages make one batch.
  if (commons_.with_items.empty()) {
    HandleItems();
  } else {
    incoming_.AskForTurn();
  }
}

void Stream::BeginTrace() {
  if (traces_ == nullptr) {
    traces_ = std::make_unique<StreamTraces>(*shard().tracer(), context_, member_.caller().tenant,
                                             [this] { return outgoing_.unread(); });
  }
  traces_->Begin(incoming_.message_bytes());
}

bool Stream::HandleItems() {
  // No message is left where OnRoom came while the last item was handled.
  if (!incoming_.handling() || !life_.takes_items()) return false;
  if (commons_.phase == StreamCommons::Phase::kAnswering) return false;
  const ItemHandler::Turn turn = handler_.HandleTurn(traces_.get());
  if (!turn.broken.ok()) {
    Fail(turn.broken);
  } else if (turn.message_done) {
    DropMessage();
    Read();
  }
  return turn.any;
}

void Stream::DropMessage() {
  if (traces_ != nullptr) traces_->EndReading();
  incoming_.Drop();
}

void Stream::Flush() {
  if (life_.finishing()) return;
  if (!outgoing_.writing() && outgoing_.has_replies()) {
    const grpc::ByteBuffer message = outgoing_.BeginWrite(commons_.host.clock.Now());
    commons_.counters.messages_sent.Add(1);
    commons_.counters.bytes_sent.Add(message.Length());
    io_.Write(message, &written_);
  }
  if (outgoing_.unread() > 0) return;
  if (life_.ending()) return Finish(life_.last_word());
  if (incoming_.closed() && !shard().Owes(peer_)) Finish(grpc::Status::OK);
}

void Stream::OnWritten(bool ok) {
  const size_t taken = outgoing_.EndWrite();
  if (life_.finishing()) return DeleteIfDone();
  if (!ok) return Finish(grpc::Status::CANCELLED);  // the client has gone
  if (traces_ != nullptr) traces_->OnTaken(taken);
  outgoing_.AskForFlush();
  if (!outgoing_.HasRoom()) return;
  shard().Resume(peer_);
  if (!incoming_.waits_for_shard()) incoming_.AskForTurn();
}

StreamInfo Stream::Describe(absl::Time now) const {
  StreamInfo info{.number = member_.number(),
                  .peer = NormalPeer(member_.peer()),
                  .tenant = member_.caller().tenant,
                  .role = member_.caller().role,
                  .age = now - member_.joined(),
                  .use = shard().UseOf(peer_),
                  .unread_bytes = outgoing_.unread(),
                  .reading = incoming_.reading()};
  if (outgoing_.writing()) info.unread_since = now - outgoing_.writing_since();
  return info;
}

}  // namespace aaren::rpc
