#ifndef AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LISTS_H_
#define AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LISTS_H_

// SessionLists are all lists of a shard's sessions. A session is in one list at most, and Session::list says in which:
//
//   list          the session                                               leaves the list for
//   urgent        EVERY_TOKEN, with replies that wait for a save            a save
//   untold        EVERY_TOKEN, saved, with a reply that waits for the       urgent, or the end of the session
//                 client's delivered_seq
//   unsaved       has tokens that no save covers, by the time it is due     a save
//   quiet         attached and saved, by the time of the last save          a save, or the store (demoted)
//   never_saved   attached, with durability NONE                            rest, or the end where rows are scarce
//   resting       without a stream, and saved, by model                     the store (at rest), or the end (expired)
//
// In no list is a session that the registrar holds, that a step has, or that a save under way has. So none of the three
// is saved, evicted or expired.
//
// Threading: belongs to one shard.

#include "server/sessions/session/session.h"
#include "server/sessions/session/table/resting_sessions.h"
#include "server/sessions/session/table/session_list.h"

namespace aaren::session {

struct SessionLists {
  // Takes the session out of its list, if the session is in one.
  void Remove(Session& session) {
    urgent.Remove(session);
    untold.Remove(session);
    unsaved.Remove(session);
    quiet.Remove(session);
    never_saved.Remove(session);
    resting.Remove(session);
  }

  SessionList urgent{Session::List::kUrgent};    // in the order in which the sessions came
  SessionList untold{Session::List::kUntold};    // likewise
  SessionList unsaved{Session::List::kUnsaved};  // in order of due_ms
  SessionList quiet{Session::List::kQuiet};      // likewise
  SessionList never_saved{Session::List::kNeverSaved};
  RestingSessions resting;
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LISTS_H_
