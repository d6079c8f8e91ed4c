#ifndef AAREN_SERVER_RPC_MESSAGES_CONVERT_H_
#define AAREN_SERVER_RPC_MESSAGES_CONVERT_H_

// Messages to the session layer's words (server/session/peer.h) and back. The two meet here and nowhere else. What
// is a task's own the model's Conversion tells (server/task/conversion.h). Names and units are the same on both sides,
// so nothing is decided but how large one Forecasts item may be.
//
// Functions that fill a message expect it cleared, so that callers can reuse it with its capacity. Threading: pure
// functions.

#include <cstddef>
#include <string>

#include "aaren/v1/models.pb.h"
#include "aaren/v1/sessions.pb.h"
#include "aaren/v1/stream.pb.h"
#include "google/rpc/status.pb.h"
#include "server/models/model_table.h"
#include "server/registrar/registrar.h"
#include "server/session/peer.h"

namespace aaren::rpc {

// Refused: a mode or durability that does not exist. Everything else is the session layer's to judge.
session::Outcome<session::OpenRequest> ToOpenRequest(const v1::Open& open, const std::string& tenant);

// A view of `tokens`, which must outlive it.
session::TokensView ToTokensView(const v1::Tokens& tokens);

// Without the model's description and training: Models.Get has them, and a stream may open 100,000 sessions.
void FillOpened(session::Handle handle, const session::OpenedReply& reply, v1::Opened& opened);

// How many of the reply's results fit into one Forecasts item; at least 1.
size_t ResultsPerItem(const session::ForecastsReply& reply);

// Results [begin, end) of the reply. The first part also covers the tokens before its first result, the last those
// after its last.
void FillForecasts(session::Handle handle, const session::ForecastsReply& reply, size_t begin, size_t end,
                   v1::Forecasts& forecasts);

google::rpc::Status ToRpcStatus(const session::Refusal& refusal);

void FillModelInfo(const models::LoadedModel& model, v1::ModelInfo& info);
void FillSessionInfo(const session::SessionInfo& session, v1::SessionInfo& info);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_MESSAGES_CONVERT_H_
