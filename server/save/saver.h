#ifndef AAREN_SERVER_SAVE_SAVER_H_
#define AAREN_SERVER_SAVE_SAVER_H_

// The Saver decides when a session's rows are copied for the store, and which older save stays.
//
// A session with unsaved tokens is due one interval after the first of them. A detached one is due at once, and so is
// one whose stream waits for a save. Saves travel in batches, one at a time, or a few smaller ones when the server
// leaves. A session has one save under way at most, and keeps two. While the newer one is not durable (its client has
// not yet told a delivered_seq that high), the next does not begin. The last one before the session rests does begin,
// and takes the newer one's place.
//
// Durability says more. A session with NONE is never saved. One with EVERY_TOKEN is due at once, and its newer save is
// never replaced before it is durable: its client was told that an Open may go back there.
//
// Where sessions expire, the store must know when one was used last. So one that is attached and quiet is saved again
// now and then, and one that detaches once more.
//
// Each save of an attached session says where its stream is, and how long that holds. This lease is over a while after
// the next save should have come.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/save/save.h"
#include "server/session/session.h"
#include "server/session/table/row_pool.h"
#include "server/session/table/session_list.h"

namespace aaren::save {

class Saver {
 public:
  // Takes a batch to where it is written; SavesDone of the shard brings the results back.
  using Send = std::function<void(std::vector<store::SaveWrite>)>;

  // `rows` outlives this. The interval is rounded up to a millisecond; zero: nothing is saved. `session_ttl`: zero if
  // sessions do not expire.
  Saver(absl::Duration interval, absl::Duration session_ttl, Lease lease, session::RowPool& rows, Send send)
      : interval_ms_(absl::ToInt64Milliseconds(absl::Ceil(interval, absl::Milliseconds(1)))),
        quiet_ms_(absl::ToInt64Milliseconds(absl::Ceil(session_ttl / 8, absl::Milliseconds(1)))),
        lease_(std::move(lease)),
        rows_(rows),
        send_(std::move(send)) {}

  bool enabled() const { return interval_ms_ > 0; }
  bool NeedsSave(const session::Session& session) const;

  // Whether `most` of its tokens below `end`, or more, wait for the store alone. While a save waits to become durable
  // it is the client's turn: it has to tell a delivered_seq.
  bool Lags(const session::Session& session, uint64_t end, uint64_t most) const {
    return enabled() && session.pending_seq == session::Session::kNoSave && end - session.durable_seq >= most;
  }

  // Queues a session that needs a save. REQUIRES: it is in no list and no save of it is under way.
  void Queue(session::Session& session, int64_t now_ms);
  void QueueLater(session::Session& session, int64_t now_ms);  // even if it is detached: its last save failed
  void Remove(session::Session& session) {
    urgent_.Remove(session);
    untold_.Remove(session);
    unsaved_.Remove(session);
    quiet_.Remove(session);
    never_saved_.Remove(session);
  }

  // Notes that an attached session awaits a save that waits for its client's delivered_seq; whether it is such a one;
  // and one that has waited for a minute, or null. Where its reply is in the way of others', it may wait for a second.
  // REQUIRES: as Queue.
  void AwaitDelivery(session::Session& session, int64_t now_ms);
  static bool AwaitsDelivery(const session::Session& session);
  session::Session* Untold(int64_t now_ms, bool in_the_way) const;
  session::Session* FirstUntold() const { return untold_.front(); }  // the others follow it

  // Whether a session is due at once whose replies wait for it.
  bool urgent() const { return urgent_.front() != nullptr; }

  // Notes that an attached session needs no save now: it is one of attached_and_saved. REQUIRES: as Queue.
  void Watch(session::Session& session, int64_t now_ms);

  // In the order in which they were saved.
  session::SessionList& attached_and_saved() { return quiet_; }

  // Those with durability NONE that are attached, in the order in which they were watched.
  session::SessionList& never_saved() { return never_saved_; }

  // While rows are scarce: an attached session that was not used for so long may rest, and its save need not wait for
  // the one before to become durable. None: none may.
  void LetRest(std::optional<absl::Duration> unused) {
    rest_after_ms_ = unused ? std::make_optional(absl::ToInt64Milliseconds(*unused)) : std::nullopt;
  }

  // What was unsaved before now is due at once; what becomes so later, or must wait, is not.
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

  // The store fails: who leaves asks it again after a pause only.
  void Pause(int64_t now_ms);

  // Starts the saves that are due, unless batches enough are under way. An error of Lane::Read: none is then started,
  // and they are due one interval later. REQUIRES: no row is under way.
  absl::Status StartDue(int64_t now_ms);

  // A batch came back. Applies each result to its session with OnSaved.
  void BatchDone() { --batches_under_way_; }

  // Notes that the save at result.seq is in the store. True if durable_seq has advanced.
  static bool OnSaved(session::Session& session, const SaveResult& result);

  // Notes how far the client has its replies for good. True if durable_seq has advanced.
  static bool OnDelivered(session::Session& session, uint64_t delivered_seq);

  // Whether another batch may begin now, and is not empty, beside those under way: only who leaves has several.
  bool MayStartAnother(int64_t now_ms) const;

  bool busy() const { return batches_under_way_ > 0 || (hurry_ && (urgent() || unsaved_.front() != nullptr)); }

 private:
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
  const Send send_;
  session::SessionList urgent_{session::Session::List::kUrgent};    // in the order in which they came
  session::SessionList untold_{session::Session::List::kUntold};    // in the order in which they came
  session::SessionList unsaved_{session::Session::List::kUnsaved};  // in order of due_ms
  session::SessionList quiet_{session::Session::List::kQuiet};      // attached and saved; likewise
  session::SessionList never_saved_{session::Session::List::kNeverSaved};
  std::optional<int64_t> rest_after_ms_;
  int64_t advanced_ms_ = 0;  // what would be due by then is due
  int batches_under_way_ = 0;
  bool leaves_ = false;
  bool hurry_ = false;
  bool shares_ = false;    // the batch before had urgent saves: background ones take little of the next
  int64_t paused_ms_ = 0;  // until then
};

}  // namespace aaren::save

#endif  // AAREN_SERVER_SAVE_SAVER_H_
