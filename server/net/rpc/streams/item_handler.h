#ifndef AAREN_SERVER_NET_RPC_STREAMS_ITEM_HANDLER_H_
#define AAREN_SERVER_NET_RPC_STREAMS_ITEM_HANDLER_H_

// An ItemHandler hands the items of one stream's messages to the shard, in order, a few a turn.
// Threading: belongs to one shard.

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/net/rpc/streams/incoming.h"
#include "server/net/rpc/streams/membership.h"
#include "server/net/rpc/streams/outgoing.h"
#include "server/net/rpc/streams/stream_life.h"
#include "server/net/rpc/streams/stream_peer.h"
#include "server/net/rpc/streams/stream_traces.h"

namespace aaren::rpc {

class ItemHandler {
 public:
  // Parts of one stream, shared with the stream. All outlive this.
  struct Parts {
    const Membership& member;
    StreamLife& life;
    Incoming& incoming;
    Outgoing& outgoing;
    StreamPeer& peer;
  };

  ItemHandler(StreamCommons& commons, const Parts& parts) : commons_(commons), parts_(parts) {}

  // How a turn ended.
  struct Turn {
    bool any = false;                        // something was handled
    bool message_done = false;               // no item is left
    absl::Status broken = absl::OkStatus();  // how the client broke the contract
  };

  // Handles items of the message until the turn is over, the client leaves replies unread, or an item must wait. Asks
  // for the next turn where none of the three brings one. `traces`: null if no message of the stream was traced.
  // REQUIRES: the stream handles a message.
  Turn HandleTurn(StreamTraces* traces);

 private:
  // The fate of an item.
  enum class Handled {
    kYes,
    kWaits,         // for an operation of the same handle: OnRoom will tell
    kWaitsForShard  // the shard or the tenant's rate does not admit the item now
  };

  Turn HandleSome(StreamTraces* traces);
  void Wait(Handled why);
  absl::StatusOr<Handled> HandleItem(StreamTraces* traces);
  absl::Status HandleHello(std::string_view content);
  absl::StatusOr<Handled> HandleOpen(std::string_view content);
  absl::StatusOr<Handled> HandleTokens(std::string_view content, StreamTraces* traces);
  Handled HandleParsedTokens(session::TokensView tokens, StreamTraces* traces);
  absl::StatusOr<Handled> HandleClose(std::string_view content);

  StreamCommons& commons_;
  const Parts parts_;
  bool over_rate_ = false;    // in this turn: the tenant may have no more tokens
  uint64_t turn_tokens_ = 0;  // handed over in this turn, times channels
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_ITEM_HANDLER_H_
