#ifndef AAREN_SERVER_OPERATE_ADMIN_STREAM_LIST_H_
#define AAREN_SERVER_OPERATE_ADMIN_STREAM_LIST_H_

// Pages of the open streams, shard after shard. Streams come and go between pages; a stream open all the time is listed
// once.

#include "aaren/v1/admin.pb.h"
#include "absl/functional/any_invocable.h"
#include "server/net/rpc/server.h"
#include "server/sessions/session/peer.h"

namespace aaren::admin {

// Calls `reply` once, here or on a shard's thread. The server outlives the call.
void ListStreams(const rpc::Server& server, const v1::ListStreamsRequest& request,
                 absl::AnyInvocable<void(session::Outcome<v1::ListStreamsResponse>)> reply);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_STREAM_LIST_H_
