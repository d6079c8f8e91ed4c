#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_PEER_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_PEER_H_

// A StreamPeer is a stream in the eyes of its shard: turns the shard's replies into items of the outbox, and tells
// whether the client leaves room for more. Threading: belongs to one shard.

#include <cstdint>

#include "aaren/v1/stream.pb.h"
#include "google/protobuf/message_lite.h"
#include "server/net/rpc/streams/incoming.h"
#include "server/net/rpc/streams/outgoing.h"
#include "server/sessions/session/peer.h"

namespace aaren::rpc {

class StreamPeer final : public session::Peer {
 public:
  // `scratch` is shared by the streams of the shard. All arguments outlive this.
  StreamPeer(Incoming& incoming, Outgoing& outgoing, v1::Forecasts& scratch)
      : incoming_(incoming), outgoing_(outgoing), forecasts_(scratch) {}

  void OnOpened(session::Handle handle, const session::OpenedReply& reply) override;
  void OnOpenRefused(session::Handle handle, uint64_t number, const session::Refusal& refusal) override;
  void OnClosed(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnCloseRefused(session::Handle handle, const session::Refusal& refusal) override;
  void OnForecasts(session::Handle handle, const session::ForecastsReply& reply) override;
  void OnAcked(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnOverdue(session::Handle handle, const session::OverdueReply& reply) override;
  void OnFailed(session::Handle handle, const session::Refusal& refusal, uint64_t expected_seq) override;
  bool HasRoom() const override { return outgoing_.HasRoom(); }
  void OnRoom() override { incoming_.AskForTurn(); }

  // Tells the client why the whole stream ends: a Failed without a handle.
  void TellEnd(const session::Refusal& refusal);

 private:
  Incoming& incoming_;
  Outgoing& outgoing_;
  v1::Forecasts& forecasts_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_PEER_H_
