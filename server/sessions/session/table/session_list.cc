#include "server/sessions/session/table/session_list.h"

namespace aaren::session {

void SessionList::InsertAfter(Session* before, Session& session) {
  session.list = name_;
  session.previous = before;
  session.next = before != nullptr ? before->next : front_;
  (session.previous != nullptr ? session.previous->next : front_) = &session;
  (session.next != nullptr ? session.next->previous : back_) = &session;
}

void SessionList::Remove(Session& session) {
  if (session.list != name_) return;
  (session.previous != nullptr ? session.previous->next : front_) = session.next;
  (session.next != nullptr ? session.next->previous : back_) = session.previous;
  session.previous = session.next = nullptr;
  session.list = Session::List::kNone;
}

}  // namespace aaren::session
