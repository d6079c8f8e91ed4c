#ifndef AAREN_TESTS_SERVER_SIMULATION_LINK_H_
#define AAREN_TESTS_SERVER_SIMULATION_LINK_H_

// A Link is a stream between a client and a shard. Items wait on the link, each way in order, until fate lets an item
// through. Either end may lose the link. Items towards a lost end are gone, and the surviving end learns of the loss
// later. Until then items towards the surviving end may still arrive, like bytes in a socket's buffer.
//
// The server's end turns items into the shard's calls with the functions of server/net/rpc/convert.h, like rpc::Stream.

#include <deque>
#include <memory>
#include <optional>

#include "aaren/v1/stream.pb.h"
#include "server/sessions/session/peer.h"
#include "tests/server/simulation/cluster.h"
#include "tests/server/simulation/fate.h"

namespace aaren::simulation {

class Link final : public session::Peer {
 public:
  Link(Fate& fate, Cluster& cluster, int shard, int number);
  ~Link() override;

  // The client's end.
  void Send(const v1::ClientItem& item) { to_server_.push_back(item); }
  std::optional<v1::ServerItem> Receive();
  void Cut();                                                       // the client leaves
  bool lost() const { return server_left_ && to_client_.empty(); }  // the client notices the server's end

  // The server's end: lets an item through to the shard, or tells the shard that the client has gone. False if nothing
  // waits.
  bool Deliver();
  void LoseServer();  // the server was killed or dropped the connection

  bool over() const { return client_left_ && server_left_; }
  int number() const { return number_; }

  void OnOpened(session::Handle handle, const session::OpenedReply& reply) override;
  void OnForecasts(session::Handle handle, const session::ForecastsReply& reply) override;
  void OnAcked(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnClosed(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnOverdue(session::Handle handle, const session::OverdueReply& reply) override;
  void OnFailed(session::Handle handle, const session::Refusal& refusal, uint64_t expected_seq) override;
  void OnOpenRefused(session::Handle handle, uint64_t number, const session::Refusal& refusal) override;
  void OnCloseRefused(session::Handle handle, const session::Refusal& refusal) override;
  bool HasRoom() const override { return to_client_.size() < kUnread; }
  void OnRoom() override {}

 private:
  static constexpr size_t kUnread = 20;  // replies for a client that does not read

  bool Admitted(const v1::ClientItem& item);
  void Handle_(const v1::ClientItem& item);
  v1::ServerItem& Add();

  Fate& fate_;
  Cluster& cluster_;
  const int shard_, number_, life_;
  std::deque<v1::ClientItem> to_server_;
  std::deque<v1::ServerItem> to_client_;
  bool client_left_ = false, server_left_ = false;
};

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_LINK_H_
