#ifndef AAREN_CLIENT_CPP_MESSAGES_VALUES_H_
#define AAREN_CLIENT_CPP_MESSAGES_VALUES_H_

// The protocol's messages as the client's own values, and back. Tokens and forecasts are not among them: they are
// copied once, by TokenLog, and read in place. Threading: functions.

#include "aaren/client/listener.h"
#include "aaren/client/model_info.h"
#include "aaren/client/session_options.h"
#include "aaren/client/sessions.h"
#include "aaren/v1/sessions.pb.h"
#include "aaren/v1/stream.pb.h"

namespace aaren::client {

ModelInfo ToValue(const v1::ModelInfo& message);
Opened ToValue(const v1::Opened& message);
SessionInfo ToValue(const v1::SessionInfo& message);

v1::Open::Mode ToMessage(OpenMode mode);
v1::OutputOptions ToMessage(const OutputOptions& output);
v1::RegularTimes ToMessage(const RegularTimes& times);
v1::Open::Durability ToMessage(Durability durability);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_MESSAGES_VALUES_H_
