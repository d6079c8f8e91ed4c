#ifndef AAREN_SERVER_ADMIN_SHARD_LIST_H_
#define AAREN_SERVER_ADMIN_SHARD_LIST_H_

// What each shard does, of what shards publish: no shard is asked.

#include "aaren/v1/admin.pb.h"
#include "server/admin/busy_shares.h"
#include "server/models/model_table.h"
#include "server/rpc/server.h"

namespace aaren::admin {

void FillShards(const rpc::Server& server, const models::ModelTable& models, const BusyShares& busy,
                v1::ListShardsResponse& response);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_ADMIN_SHARD_LIST_H_
