#ifndef AAREN_SERVER_RPC_SERVICES_MODELS_SERVICE_H_
#define AAREN_SERVER_RPC_SERVICES_MODELS_SERVICE_H_

// Serves aaren.v1.Models: which models there are, and what one takes and gives (proto/aaren/v1/models.proto). A model
// that retires is listed no more, though sessions may still have it. Calls begin, wait and end as all unary ones do
// (unary_call.h), and are answered from the table at once. Threading: on the thread of the shard's queue.

#include "aaren/v1/models.grpc.pb.h"
#include "server/models/model_table.h"
#include "server/rpc/services/unary_call.h"

namespace aaren::rpc {

// The arguments outlive the server.
void ServeModels(HeadersFirstService& service, UnaryHost& host, const models::ModelTable& models);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_SERVICES_MODELS_SERVICE_H_
