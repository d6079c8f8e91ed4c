#include "server/net/rpc/streams/stream_peer.h"

#include <algorithm>

#include "server/net/rpc/messages/convert.h"

namespace aaren::rpc {

void StreamPeer::OnOpened(session::Handle handle, const session::OpenedReply& reply) {
  v1::Opened opened;
  FillOpened(handle, reply, opened);
  outgoing_.Append(v1::ServerItem::kOpened, opened);
}

// A step may answer thousands of tokens: several items keep each below the size that clients accept in one message.
void StreamPeer::OnForecasts(session::Handle handle, const session::ForecastsReply& reply) {
  const size_t part = ResultsPerItem(reply);
  size_t begin = 0;
  do {
    const size_t end = std::min(begin + part, reply.results);
    forecasts_.Clear();
    FillForecasts(handle, reply, begin, end, forecasts_);
    outgoing_.Append(v1::ServerItem::kForecasts, forecasts_);
    begin = end;
  } while (begin < reply.results);
}

void StreamPeer::OnAcked(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  v1::Acked acked;
  acked.set_handle(handle);
  acked.set_next_seq(next_seq);
  acked.set_durable_seq(durable_seq);
  outgoing_.Append(v1::ServerItem::kAcked, acked);
}

void StreamPeer::OnOverdue(session::Handle handle, const session::OverdueReply& reply) {
  v1::Overdue overdue;
  overdue.set_handle(handle);
  overdue.set_next_seq(reply.next_seq);
  overdue.set_time_ns(reply.time_ns);
  overdue.set_probability(reply.probability);
  outgoing_.Append(v1::ServerItem::kOverdue, overdue);
}

void StreamPeer::OnClosed(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  v1::Closed closed;
  closed.set_handle(handle);
  closed.set_next_seq(next_seq);
  closed.set_durable_seq(durable_seq);
  outgoing_.Append(v1::ServerItem::kClosed, closed);
}

void StreamPeer::OnFailed(session::Handle handle, const session::Refusal& refusal, uint64_t expected_seq) {
  v1::Failed failed;
  failed.set_handle(handle);
  failed.set_expected_seq(expected_seq);
  *failed.mutable_status() = ToRpcStatus(refusal);
  outgoing_.Append(v1::ServerItem::kFailed, failed);
}

void StreamPeer::OnOpenRefused(session::Handle handle, uint64_t number, const session::Refusal& refusal) {
  v1::Failed failed;
  failed.set_handle(handle);
  failed.set_open_number(number);
  *failed.mutable_status() = ToRpcStatus(refusal);
  outgoing_.Append(v1::ServerItem::kFailed, failed);
}

void StreamPeer::OnCloseRefused(session::Handle handle, const session::Refusal& refusal) {
  OnFailed(handle, refusal, 0);
}

void StreamPeer::TellEnd(const session::Refusal& refusal) {
  v1::Failed failed;
  *failed.mutable_status() = ToRpcStatus(refusal);
  outgoing_.Append(v1::ServerItem::kFailed, failed);
}

}  // namespace aaren::rpc
