#ifndef AAREN_SERVER_SESSIONS_SAVE_SAVER_H_
#define AAREN_SERVER_SESSIONS_SAVE_SAVER_H_

// The Saver decides when a session's rows are copied for the store, and keeps the right older save. The Saver puts
// every session into the list for the session's state (server/sessions/session/table/session_lists.h).
//
// A session with unsaved tokens is due one interval after the first of the tokens. A detached session is due at once,
// and so is a session whose stream waits for a save. Saves travel in batches: one batch at a time, or a few smaller
// batches when the server leaves. A session has at most one save under way, and two saves in the store. While the newer
// save is not durable (the client's delivered_seq is lower), the next save does not begin. The last save before the
// session rests does begin, and takes the place of the newer save.
//
// A session with durability NONE is never saved. A session with EVERY_TOKEN is due at once, and nothing replaces its
// newer save before the save is durable: the client knows that an Open may go back to the save.
//
// Where sessions expire, the store must know the time of the last use. So a quiet attached session is saved again from
// time to time, and a detaching session once more.
//
// A save of an attached session names the server with the stream, and how long to believe the name: the lease ends a
// while after the due time of the next save.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/sessions/save/save.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/table/row_pool.h"
#include "server/sessions/session/table/session_lists.h"

namespace aaren::save {

struct SaverOptions {
  absl::Duration interval = absl::ZeroDuration();     // rounded up to a millisecond; zero: nothing is saved
  absl::Duration session_ttl = absl::ZeroDuration();  // zero: sessions do not expire
  Lease lease = {};
};

class Saver {
 public:
  // `rows` and `lists` outlive the Saver.
  Saver(const SaverOptions& options, session::RowPool& rows, session::SessionLists& lists)
      : interval_ms_(absl::ToInt64Milliseconds(absl::Ceil(options.interval, absl::Milliseconds(1)))),
        quiet_ms_(absl::ToInt64Milliseconds(absl::Ceil(options.session_ttl / 8, absl::Milliseconds(1)))),
        lease_(options.lease),
        rows_(rows),
        lists_(lists) {}

  bool enabled() const { return interval_ms_ > 0; }
  const Lease& lease() const { return lease_; }
  bool NeedsSave(const session::Session& session) const;

  // True if `most` or more of the session's tokens below `end` wait for the store alone. While a save waits to become
  // durable the server waits for the client's delivered_seq.
  bool Lags(const session::Session& session, uint64_t end, uint64_t most) const {
    return enabled() && session.pending_seq == session::Session::kNoSave && end - session.durable_seq >= most;
  }

  // Puts the session into the list for the session's state, or into none.
  void Settle(session::Session& session, int64_t now_ms);

  // After a failed save: the session is due one interval later, even without a stream. Does nothing for a session
  // without need of a save.
  void Retry(session::Session& session, int64_t now_ms);

  // A session after a minute's wait for the client's delivered_seq; null: none. `in_the_way`: after a second's wait,
  // since the session's reply takes room from further replies.
  session::Session* Untold(int64_t now_ms, bool in_the_way) const;

  // True if a session is due at once for the sake of held replies.
  bool urgent() const { return lists_.urgent.front() != nullptr; }

  // While rows are scarce: an attached session unused for `unused` may rest, and need not wait for the earlier save to
  // become durable. Without a value no attached session may rest.
  void LetRest(std::optional<absl::Duration> unused) {
    rest_after_ms_ = unused ? std::make_optional(absl::ToInt64Milliseconds(*unused)) : std::nullopt;
  }

  // Sessions unsaved now are due at once. Later sessions, and sessions bound to wait, are not.
  void Advance(int64_t now_ms) { advanced_ms_ = now_ms + interval_ms_ - 1; }

  // The server leaves: as Advance, and several batches are under way from now on.
  void Leave(int64_t now_ms) {
    Advance(now_ms);
    leaves_ = true;
  }

  // From now on every save is due at once.
  void Hurry() { hurry_ = true; }
  bool hurrying() const { return hurry_; }
  bool leaves() const { return leaves_ || hurry_; }

  // The store fails: a leaving server asks the store again only after a pause.
  void Pause(int64_t now_ms);

  // The due saves; empty if enough batches are under way or no session is due. The caller gives the batch to the store.
  // An error of Lane::Read: no save begins, and the sessions are due one interval later.
  // REQUIRES: no row is under way.
  absl::StatusOr<std::vector<store::SaveWrite>> TakeBatch(int64_t now_ms);

  // A batch came back. OnSaved takes each session's result.
  void BatchDone() { --batches_under_way_; }

  // The save at result.seq is in the store. True if durable_seq has advanced.
  static bool OnSaved(session::Session& session, const SaveResult& result);

  // The client has all replies below `delivered_seq` for good. True if durable_seq has advanced.
  static bool OnDelivered(session::Session& session, uint64_t delivered_seq);

  // True if another batch may begin now, beside the batches under way: only a leaving server has several.
  bool MayStartAnother(int64_t now_ms) const;

  bool busy() const { return batches_under_way_ > 0 || (hurry_ && (urgent() || lists_.unsaved.front() != nullptr)); }

 private:
  void Queue(session::Session& session, int64_t now_ms);
  void QueueLater(session::Session& session, int64_t now_ms);
  void Watch(session::Session& session, int64_t now_ms);
  session::Session* NextDue(int64_t now_ms) const;
  size_t BatchBytes() const;
  size_t TakeUrgent(std::vector<session::Session*>& due);
  bool MustWait(const session::Session& session, int64_t now_ms) const;
  bool MayRest(const session::Session& session, int64_t now_ms) const;
  std::vector<session::Session*> TakeDue(int64_t now_ms);
  store::SaveWrite WriteOf(session::Session& session, int64_t now_ms) const;

  const int64_t interval_ms_;
  const int64_t quiet_ms_;  // 0: sessions do not expire
  const Lease lease_;
  session::RowPool& rows_;
  session::SessionLists& lists_;
  std::optional<int64_t> rest_after_ms_;
  int64_t advanced_ms_ = 0;  // sessions due until the time are due at once
  int batches_under_way_ = 0;
  bool leaves_ = false;
  bool hurry_ = false;
  bool shares_ = false;    // the last batch had urgent saves: background saves take little of the next batch
  int64_t paused_ms_ = 0;  // no batch begins before
};

}  // namespace aaren::save

#endif  // AAREN_SERVER_SESSIONS_SAVE_SAVER_H_
