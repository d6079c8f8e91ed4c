#ifndef AAREN_SERVER_RPC_MESSAGES_FORECASTING_H_
#define AAREN_SERVER_RPC_MESSAGES_FORECASTING_H_

// What is forecasting's own in the messages: an Open's output options, the values of a Forecasts item, a model's
// columns. convert.h has what any task has. Threading: pure functions.

#include <cstddef>

#include "aaren/v1/models.pb.h"
#include "aaren/v1/stream.pb.h"
#include "model/package/config.h"
#include "server/session/peer.h"

namespace aaren::rpc {

session::OutputRequest ToOutputRequest(const v1::OutputOptions& output);

// Numbers per channel of one result.
size_t ResultWidth(const session::ForecastsReply& reply);

// Of results [begin, end) of the reply, what its plan asks for.
void FillValues(const session::ForecastsReply& reply, size_t begin, size_t end,
                google::protobuf::RepeatedField<float>& values);

void FillColumns(const package::ForecasterConfig& config, v1::ModelInfo& info);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_MESSAGES_FORECASTING_H_
