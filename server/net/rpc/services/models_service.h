#ifndef AAREN_SERVER_NET_RPC_SERVICES_MODELS_SERVICE_H_
#define AAREN_SERVER_NET_RPC_SERVICES_MODELS_SERVICE_H_

// Serves aaren.v1.Models: the served models, with the inputs and outputs of each (proto/aaren/v1/models.proto). A
// retiring model is not listed, though sessions may still use it. Calls begin, wait and end as all unary calls do
// (unary_call.h), and are answered from the table at once. Threading: the thread of the shard's queue.

#include "aaren/v1/models.grpc.pb.h"
#include "server/net/rpc/services/unary_call.h"
#include "server/sessions/models/model_table.h"

namespace aaren::rpc {

// The arguments outlive the server.
void ServeModels(HeadersFirstService& service, UnaryHost& host, const models::ModelTable& models);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_MODELS_SERVICE_H_
