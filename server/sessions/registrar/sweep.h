#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_SWEEP_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_SWEEP_H_

// A Sweep deletes the sessions at rest that were not used for the time to live, a page of the store at a time, between
// the operations that others ask for. Threading: belongs to the registrar's thread.

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/sessions/registrar/unchanged_sessions.h"
#include "server/store/store.h"

namespace aaren::registrar {

struct Desk;  // server/sessions/registrar/desk.h

class Sweep {
 public:
  // `desk` outlives this.
  explicit Sweep(Desk& desk) : desk_(desk) {}

  // Does nothing while an earlier sweep is under way.
  void Begin(absl::Duration ttl);

 private:
  void NextPage();
  void OnPage(const std::vector<store::SessionRecord>& page);
  void Delete(const store::SessionRecord& record);

  Desk& desk_;
  absl::Duration ttl_ = absl::ZeroDuration();
  std::optional<std::string> after_;  // the last key of the last page; none: no sweep is under way
  UnchangedSessions leased_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_SWEEP_H_
