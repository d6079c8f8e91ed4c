#ifndef AAREN_SERVER_OPERATE_ADMIN_SHARD_LIST_H_
#define AAREN_SERVER_OPERATE_ADMIN_SHARD_LIST_H_

// Lists the shards for `aaren debug shards`: sessions, rows, waiting tokens, and busy shares. Every number is read from
// counters that the shards publish: no shard is asked, and a shard that hangs is listed, too. Threading: any.

#include "aaren/v1/admin.pb.h"
#include "server/net/rpc/server.h"
#include "server/operate/admin/busy_shares.h"
#include "server/sessions/models/model_table.h"

namespace aaren::admin {

void FillShards(const rpc::Server& server, const models::ModelTable& models, const BusyShares& busy,
                v1::ListShardsResponse& response);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_SHARD_LIST_H_
