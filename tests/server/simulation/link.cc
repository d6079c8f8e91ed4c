#include "tests/server/simulation/link.h"

#include <utility>

#include "server/net/rpc/messages/convert.h"

namespace aaren::simulation {

Link::Link(Fate& fate, Cluster& cluster, int shard, int number)
    : fate_(fate), cluster_(cluster), shard_(shard), number_(number), life_(cluster.life()) {
  fate_.Tell("link ", number_, "   to shard ", shard_);
}

Link::~Link() {
  if (!server_left_ && life_ == cluster_.life()) cluster_.Disconnect(shard_, *this);
}

std::optional<v1::ServerItem> Link::Receive() {
  if (client_left_ || to_client_.empty()) return std::nullopt;
  v1::ServerItem item = std::move(to_client_.front());
  to_client_.pop_front();
  if (!server_left_ && life_ == cluster_.life()) cluster_.shard(shard_).Resume(*this);
  return item;
}

void Link::Cut() {
  fate_.Tell("link ", number_, "   its client leaves, ", to_server_.size(), " items on their way");
  client_left_ = true;
  to_client_.clear();
  // Some items never leave the client's machine.
  while (!to_server_.empty() && fate_.OneIn(2)) to_server_.pop_back();
}

void Link::LoseServer() {
  if (std::exchange(server_left_, true)) return;
  fate_.Tell("link ", number_, "   its server leaves");
  to_server_.clear();
  while (!to_client_.empty() && fate_.OneIn(2)) to_client_.pop_back();
  if (life_ == cluster_.life()) cluster_.Disconnect(shard_, *this);
}

bool Link::Deliver() {
  if (server_left_) return false;
  if (to_server_.empty()) {
    if (client_left_) LoseServer();
    return client_left_;
  }
  if (!Admitted(to_server_.front())) {
    if (client_left_) LoseServer();  // unread items do not hide that the client has gone
    return client_left_;
  }
  const v1::ClientItem item = std::move(to_server_.front());
  to_server_.pop_front();
  Handle_(item);
  return true;
}

// Asks like rpc::Stream.
bool Link::Admitted(const v1::ClientItem& item) {
  shard::SessionShard& shard = cluster_.shard(shard_);
  if (item.has_open()) return !shard.IsClosing(*this, item.open().handle()) && shard.AdmitsOpen(*this);
  if (item.has_close()) return !shard.IsClosing(*this, item.close().handle());
  return !shard.IsClosing(*this, item.tokens().handle()) && shard.AdmitsTokens(*this, item.tokens().ByteSizeLong());
}

void Link::Handle_(const v1::ClientItem& item) {
  shard::SessionShard& shard = cluster_.shard(shard_);
  if (item.has_open()) {
    fate_.Tell("link ", number_, " > Open ", item.open().handle(), " ", item.open().session_id(), " delivered ",
               item.open().has_delivered_seq() ? absl::StrCat(item.open().delivered_seq()) : "-");
    shard.Open(*this, item.open().handle(), rpc::ToOpenRequest(item.open(), "default").value);
  } else if (item.has_tokens()) {
    fate_.Tell("link ", number_, " > Tokens ", item.tokens().handle(), " from ", item.tokens().first_seq(), " n ",
               item.tokens().values_size());
    shard.Tokens(*this, rpc::ToTokensView(item.tokens()));
  } else {
    const v1::Close& close = item.close();
    fate_.Tell("link ", number_, " > Close ", close.handle(), close.delete_session() ? " delete" : "");
    shard.Close(*this, close.handle(), close.delete_session(),
                close.has_delivered_seq() ? std::optional(close.delivered_seq()) : std::nullopt);
  }
}

void Link::OnOpenRefused(session::Handle handle, uint64_t number, const session::Refusal& refusal) {
  OnFailed(handle, refusal, 0);
  to_client_.back().mutable_failed()->set_open_number(number);
}

void Link::OnCloseRefused(session::Handle handle, const session::Refusal& refusal) { OnFailed(handle, refusal, 0); }

v1::ServerItem& Link::Add() { return to_client_.emplace_back(); }

void Link::OnOpened(session::Handle handle, const session::OpenedReply& reply) {
  fate_.Tell("link ", number_, " < Opened ", handle, " epoch ", reply.epoch, " next ", reply.next_seq, " durable ",
             reply.durable_seq, reply.created ? " created" : "", reply.lost ? " LOST" : "");
  rpc::FillOpened(handle, reply, *Add().mutable_opened());
}

void Link::OnForecasts(session::Handle handle, const session::ForecastsReply& reply) {
  fate_.Tell("link ", number_, " < Forecasts ", handle, " ", reply.first_seq, " .. ", reply.next_seq, " durable ",
             reply.durable_seq);
  rpc::FillForecasts(handle, reply, 0, reply.results, *Add().mutable_forecasts());
}

void Link::OnAcked(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  fate_.Tell("link ", number_, " < Acked ", handle, " next ", next_seq, " durable ", durable_seq);
  v1::Acked& acked = *Add().mutable_acked();
  acked.set_handle(handle);
  acked.set_next_seq(next_seq);
  acked.set_durable_seq(durable_seq);
}

void Link::OnOverdue(session::Handle handle, const session::OverdueReply& reply) {
  fate_.Tell("link ", number_, " < Overdue ", handle, " next ", reply.next_seq);
  v1::Overdue& overdue = *Add().mutable_overdue();
  overdue.set_handle(handle);
  overdue.set_next_seq(reply.next_seq);
}

void Link::OnClosed(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  fate_.Tell("link ", number_, " < Closed ", handle);
  v1::Closed& closed = *Add().mutable_closed();
  closed.set_handle(handle);
  closed.set_next_seq(next_seq);
  closed.set_durable_seq(durable_seq);
}

void Link::OnFailed(session::Handle handle, const session::Refusal& refusal, uint64_t expected_seq) {
  fate_.Tell("link ", number_, " < Failed ", handle, " ", refusal.status.ToString());
  v1::Failed& failed = *Add().mutable_failed();
  failed.set_handle(handle);
  *failed.mutable_status() = rpc::ToRpcStatus(refusal);
  failed.set_expected_seq(expected_seq);
}

}  // namespace aaren::simulation
