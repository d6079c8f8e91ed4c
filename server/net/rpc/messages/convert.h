#ifndef AAREN_SERVER_NET_RPC_MESSAGES_CONVERT_H_
#define AAREN_SERVER_NET_RPC_MESSAGES_CONVERT_H_

// Turns messages into the session layer's types (server/sessions/session/peer.h) and back. The two meet here and
// nowhere else. The model's Conversion fills the fields of a task (server/sessions/task/conversion.h). Names and units
// are the same on both sides: the only decision here is the size of a Forecasts item.
//
// Functions that fill a message expect a cleared message; callers reuse messages with their capacity. Threading: pure
// functions.

#include <cstddef>
#include <string>

#include "aaren/v1/models.pb.h"
#include "aaren/v1/sessions.pb.h"
#include "aaren/v1/stream.pb.h"
#include "google/rpc/status.pb.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/sessions.h"
#include "server/sessions/session/peer.h"

namespace aaren::rpc {

// Refuses a mode or durability that does not exist. The session layer judges everything else.
session::Outcome<session::OpenRequest> ToOpenRequest(const v1::Open& open, const std::string& tenant);

// A view of `tokens`, which must outlive the view.
session::TokensView ToTokensView(const v1::Tokens& tokens);

// Without the model's description and training: Models.Get has both, and a stream may open 100,000 sessions.
void FillOpened(session::Handle handle, const session::OpenedReply& reply, v1::Opened& opened);

// How many of the reply's results fit into one Forecasts item; at least 1.
size_t ResultsPerItem(const session::ForecastsReply& reply);

// Fills results [begin, end) of the reply. The first part also covers the tokens before its first result, the last part
// the tokens after its last result. REQUIRES: `forecasts` is empty.
void FillForecasts(session::Handle handle, const session::ForecastsReply& reply, size_t begin, size_t end,
                   v1::Forecasts& forecasts);

google::rpc::Status ToRpcStatus(const session::Refusal& refusal);

void FillModelInfo(const models::LoadedModel& model, v1::ModelInfo& info);
void FillSessionInfo(const session::SessionInfo& session, v1::SessionInfo& info);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_MESSAGES_CONVERT_H_
