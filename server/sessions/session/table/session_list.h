#ifndef AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LIST_H_
#define AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LIST_H_

// A SessionList is a queue of sessions linked through the sessions' members: the list needs no memory, and removal from
// the middle costs nothing. A session is in a single list at most. Threading: belongs to one shard.

#include "server/sessions/session/session.h"

namespace aaren::session {

class SessionList {
 public:
  explicit SessionList(Session::List name) : name_(name) {}

  SessionList(SessionList&&) = default;

  void PushFront(Session& session) { InsertAfter(nullptr, session); }
  void PushBack(Session& session) { InsertAfter(back_, session); }

  // Takes the session out. Does nothing if the session is not in the list.
  void Remove(Session& session);

  Session* front() const { return front_; }

 private:
  // REQUIRES: `session` is in no list; `before` is in the list, or null for the front.
  void InsertAfter(Session* before, Session& session);

  Session::List name_;
  Session* front_ = nullptr;
  Session* back_ = nullptr;
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_TABLE_SESSION_LIST_H_
