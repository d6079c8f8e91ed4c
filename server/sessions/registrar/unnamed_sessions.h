#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_UNNAMED_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_UNNAMED_SESSIONS_H_

// The UnnamedSessions end sessions whose ids a client drew because nobody gave an id: "stream-" or "evaluate-" and
// sixteen hexadecimal digits (proto/aaren/v1/stream.proto). A client deletes such a session at the end. A client that
// was killed leaves the session, and nobody will ask for the id again.
//
// A look lists ids by these beginnings, so the cost of a look does not grow with other sessions. A session that a
// stream has open, here or at another server of the store, is left alone, however silent. Between the list and the
// deletion a client may open the session: the epoch is then another, and the registrar refuses the deletion.
//
// Threading: Start and the destructor by one thread. Tests call Look instead of Start.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/machine/cores/periodic.h"
#include "server/sessions/registrar/sessions.h"
#include "server/sessions/session/clock.h"

namespace aaren::registrar {

// True if a client drew this session's id.
bool IsUnnamed(absl::string_view session_id);

class UnnamedSessions {
 public:
  using Tenants = std::function<std::vector<std::string>()>;  // the tenants that are known now

  // Sessions end after `ttl` of silence. The arguments outlive this. REQUIRES: ttl is positive.
  UnnamedSessions(Sessions& sessions, Tenants tenants, absl::Duration ttl,
                  const session::Clock& clock = session::Clock::System());
  // Questions under way are answered, and no further question is asked.
  ~UnnamedSessions();

  // Looks ten times in `ttl`, at least every five minutes and at most every second.
  void Start();

  // Begins to look; the answers come on other threads. Does nothing while answers to the last look are to come.
  void Look();

  // True while answers are to come. On the thread that calls Look.
  bool looking() const;

 private:
  class Sweep;

  Sessions& sessions_;
  const Tenants tenants_;
  const absl::Duration ttl_;
  const session::Clock& clock_;
  std::shared_ptr<Sweep> sweep_;            // the last look
  std::optional<cores::Periodic> looking_;  // none before Start
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_UNNAMED_SESSIONS_H_
