#ifndef AAREN_SERVER_ADMIN_STREAM_LIST_H_
#define AAREN_SERVER_ADMIN_STREAM_LIST_H_

// One page of the streams that are open, of one shard after another. Streams come and go while a list is read page by
// page; one that is there all the time is listed once.

#include "aaren/v1/admin.pb.h"
#include "absl/functional/any_invocable.h"
#include "server/rpc/server.h"
#include "server/session/peer.h"

namespace aaren::admin {

// `reply` is called once, here or on a shard's thread. The server outlives that.
void ListStreams(const rpc::Server& server, const v1::ListStreamsRequest& request,
                 absl::AnyInvocable<void(session::Outcome<v1::ListStreamsResponse>)> reply);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_ADMIN_STREAM_LIST_H_
