#include "server/sessions/queue/reply_holds.h"

#include <utility>

namespace aaren::queue {
namespace {

// The memory of a reply with so many forecasts a channel, about.
size_t ReplyBytes(const session::Session& session, size_t forecasts) {
  return sizeof(HeldReply) + forecasts * session.channels * session.result_floats() * sizeof(float);
}

}  // namespace

void ReplyHolds::Add(const session::Session& session, size_t bytes) {
  session.stream->bytes.held += bytes;
  bytes_ += bytes;
}

void ReplyHolds::Give(const session::Session& session, size_t bytes) {
  session.stream->bytes.held -= bytes;
  bytes_ -= bytes;
  freed_ |= bytes > 0;
}

HeldReply& ReplyHolds::Hold(session::Session& session) {
  std::unique_ptr<HeldReply>& reply = session.flow->reply;
  if (reply == nullptr) {
    reply = std::make_unique<HeldReply>();
    Add(session, reply->bytes());
  }
  return *reply;
}

std::unique_ptr<HeldReply> ReplyHolds::Take(const session::Session& session) {
  if (session.flow == nullptr || session.flow->reply == nullptr) return nullptr;
  Give(session, session.flow->reply->bytes());
  return std::move(session.flow->reply);
}

bool ReplyHolds::MayHold(const Attachment& stream, size_t spoken_for) const {
  const size_t own = stream.bytes.held + spoken_for, all = bytes_ + spoken_for;
  return all < max_bytes_ && (own == 0 || own <= (max_bytes_ - all) / 2);
}

void ReplyHolds::Promise(Flow& flow, size_t forecasts) {
  EndPromise(flow);
  flow.promised = ReplyBytes(*flow.session, forecasts);
  Add(*flow.session, flow.promised);
}

void ReplyHolds::EndPromise(Flow& flow) {
  if (flow.promised > 0) Give(*flow.session, std::exchange(flow.promised, 0));
}

void ReplyHolds::Stall(Flow& flow) {
  StalledFlows& stalled = flow.session->stream->stalled;
  if (stalled.flows.empty()) stalled_.PushBack(stalled);
  stalled.flows.PushBack(flow);
  flow.stalled = true;
}

void ReplyHolds::EndStall(Flow& flow) {
  if (!std::exchange(flow.stalled, false)) return;
  StalledFlows& stalled = flow.session->stream->stalled;
  stalled.flows.Remove(flow);
  if (stalled.flows.empty()) stalled_.Remove(stalled);
}

void ReplyHolds::EndStalls(absl::FunctionRef<void(Flow&)> resume) {
  if (!std::exchange(freed_, false)) return;
  for (StalledFlows *next = stalled_.front(), *stalled = next; stalled != nullptr; stalled = next) {
    next = stalled->next;
    const Attachment& stream = *stalled->flows.front()->session->stream;
    size_t bytes = 0;
    while (!stalled->flows.empty() && MayHold(stream, bytes)) {
      Flow& flow = *stalled->flows.front();
      bytes += ReplyBytes(*flow.session, 1);
      EndStall(flow);
      resume(flow);
    }
  }
}

}  // namespace aaren::queue
