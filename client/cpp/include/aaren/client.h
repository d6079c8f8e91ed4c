#ifndef AAREN_CLIENT_H_
#define AAREN_CLIENT_H_

// All of the client of aaren-server: streams of tokens and forecasts (client/client.h), the sessions that a server
// keeps (client/sessions.h), its models (client/models.h), its health (client/health.h), and what goes on inside it
// (client/admin.h). Each of these headers is enough for its job.
//
// Threading: every class is safe from any thread. Errors: absl::Status everywhere, never an exception.

#include "aaren/client/admin.h"
#include "aaren/client/client.h"
#include "aaren/client/health.h"
#include "aaren/client/models.h"
#include "aaren/client/sessions.h"
#include "aaren/client/status.h"
#include "aaren/client/tls.h"

#endif  // AAREN_CLIENT_H_
