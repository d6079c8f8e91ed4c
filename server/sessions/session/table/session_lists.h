#ifndef AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LISTS_H_
#define AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LISTS_H_

// SessionLists are all lists of a shard's sessions. A session is in one list at most, named by Session::list:
//
//   list          the session                                               leaves the list for
//   urgent        EVERY_TOKEN, with replies held for a save                 a save
//   untold        EVERY_TOKEN, saved, with a reply held for the client's    urgent, or the end of the session
//                 delivered_seq
//   unsaved       with unsaved tokens, by the time when due                 a save
//   quiet         attached and saved, by the time of the last save          a save, or the store (demoted)
//   never_saved   attached, with durability NONE                            rest, or the end where rows are scarce
//   resting       without a stream, and saved, by model                     the store (at rest), or the end (expired)
//
// A session held by the registrar, in a step or in a save under way is in no list, so no save, eviction or expiry
// begins.
//
// Threading: belongs to one shard.

#include "server/sessions/session/session.h"
#include "server/sessions/session/table/resting_sessions.h"
#include "server/sessions/session/table/session_list.h"

namespace aaren::session {

struct SessionLists {
  // Takes the session out of the list, if any.
  void Remove(Session& session) {
    urgent.Remove(session);
    untold.Remove(session);
    unsaved.Remove(session);
    quiet.Remove(session);
    never_saved.Remove(session);
    resting.Remove(session);
  }

  SessionList urgent{Session::List::kUrgent};    // in the order of arrival
  SessionList untold{Session::List::kUntold};    // in the order of arrival
  SessionList unsaved{Session::List::kUnsaved};  // in order of due_ms
  SessionList quiet{Session::List::kQuiet};      // in order of due_ms
  SessionList never_saved{Session::List::kNeverSaved};
  RestingSessions resting;
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LISTS_H_
