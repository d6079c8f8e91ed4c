#ifndef AAREN_CLIENT_H_
#define AAREN_CLIENT_H_

// The whole client of aaren-server: streams of tokens and forecasts (client/client.h), the stored sessions of a server
// (client/sessions.h), its models (client/models.h), its health (client/health.h), and its inside (client/admin.h).
// client/regular_series.h makes tokens of rows that have times, client/event_marks.h numbers of the marks of events.
// Each header suffices for its job.
//
// Threading: Client, Session, Sessions, Models, Health, Admin and MarkNames are safe from any thread; a RegularSeries
// is a plain value. Errors: absl::Status everywhere, never an exception.

#include "aaren/client/admin.h"
#include "aaren/client/client.h"
#include "aaren/client/event_marks.h"
#include "aaren/client/health.h"
#include "aaren/client/models.h"
#include "aaren/client/regular_series.h"
#include "aaren/client/sessions.h"
#include "aaren/client/status.h"
#include "aaren/client/tls.h"

#endif  // AAREN_CLIENT_H_
