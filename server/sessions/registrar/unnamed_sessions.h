#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_UNNAMED_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_UNNAMED_SESSIONS_H_

// The UnnamedSessions end sessions with ids drawn by a client for want of a given id: "stream-" or "evaluate-" and
// sixteen hexadecimal digits (proto/aaren/v1/stream.proto). A client deletes an unnamed session at the end. A killed
// client leaves the session, and nobody will ask for the id again.
//
// A look goes through all tenants that have sessions, and lists ids by the beginnings, so the cost of a look does not
// grow with named sessions. A session open at the server is left alone, however silent. A session that another server
// of the store left open is left alone until the record has stood unchanged for a day longer. Between the list and the
// deletion a client may open the session: the epoch has changed, and the registrar refuses the deletion.
//
// Threading: Start and the destructor by one thread. Tests call Look instead of Start.

#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/machine/cores/periodic.h"
#include "server/sessions/registrar/sessions.h"
#include "server/sessions/session/clock.h"

namespace aaren::registrar {

// True if a client drew the session's id.
bool IsUnnamed(absl::string_view session_id);

class UnnamedSessions {
 public:
  // Sessions end after `ttl` of silence. The arguments outlive the UnnamedSessions. REQUIRES: ttl is positive.
  UnnamedSessions(Sessions& sessions, absl::Duration ttl, const session::Clock& clock = session::Clock::System());
  // Questions under way are answered, and no further question is asked.
  ~UnnamedSessions();

  // Looks ten times in `ttl`, at least every five minutes and at most every second.
  void Start();

  // Begins to look; the answers come on further threads. Does nothing while answers to the last look are to come.
  void Look();

  // True while answers are to come. Threading: the thread of Look.
  bool looking() const;

 private:
  class Sweep;

  Sessions& sessions_;
  const absl::Duration ttl_;
  const session::Clock& clock_;
  std::shared_ptr<Sweep> sweep_;            // the last look
  std::optional<cores::Periodic> looking_;  // none before Start
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_UNNAMED_SESSIONS_H_
