#ifndef AAREN_SERVER_RPC_SERVICES_MODELS_SERVICE_H_
#define AAREN_SERVER_RPC_SERVICES_MODELS_SERVICE_H_

// Serves aaren.v1.Models on a shard's queue.

#include "aaren/v1/models.grpc.pb.h"
#include "server/models/model_table.h"
#include "server/rpc/services/unary_call.h"

namespace aaren::rpc {

// The arguments outlive the server.
void ServeModels(HeadersFirstService& service, UnaryHost& host, const models::ModelTable& models);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_SERVICES_MODELS_SERVICE_H_
