#ifndef AAREN_CLIENT_CPP_SESSION_SESSION_STATE_H_
#define AAREN_CLIENT_CPP_SESSION_SESSION_STATE_H_

// A SessionState is the client's half of a session: the kept tokens, the seqs up to which tokens were sent, answered
// and delivered, and the next item for the server. It knows no stream; its Connection carries the items.
//
//   log.begin <= sent <= log.end        tokens kept, and the next to send on this stream
//   acked <= sent                       the server's own next_seq, as this stream last told
//   answered                            replies below were handed over; above `acked` while the server catches up
//   delivered <= answered               told to the server, which may forget how to go back before `delivered`
//
// Threading: the application's side (Send … Detach) is safe from any thread. The stream's side (Attach … End) belongs
// to the connection's thread, which also runs the listener, without a lock.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aaren/client/listener.h"
#include "aaren/client/session.h"
#include "aaren/client/session_options.h"
#include "aaren/v1/stream.pb.h"
#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/cpp/messages/message_builder.h"
#include "client/cpp/session/token_log.h"

namespace aaren::client {

class SessionState {
 public:
  // `server` is the server's name in errors.
  SessionState(SessionOptions options, Session& session, Listener& listener, std::string server = "");

  const SessionOptions& options() const { return options_; }

  // kYes: the session has something to send now and was not waiting to send. The caller passes the value to
  // Connection::Enqueue.
  enum class Ready { kNo, kYes };

  // A call without room waits, or returns.
  enum class Patience { kWait, kNone };

  // The server keeps the session, or deletes it.
  enum class Ending { kKeep, kDelete };

  struct Sent {
    Admission admission = Admission::kFull;
    Ready ready = Ready::kNo;
  };

  // The application's side; see Session.
  absl::StatusOr<Opened> WaitOpened(absl::Duration timeout);
  absl::StatusOr<Sent> Send(uint64_t first_seq, const TokenBatch& batch, Patience patience);
  [[nodiscard]] Ready Delivered(uint64_t seq);
  absl::Status Flush();
  absl::StatusOr<Ready> Close(Ending ending);
  absl::Status WaitClosed();
  uint64_t next_seq() const;
  uint64_t answered_seq() const;
  absl::Status status() const;

  // Waits for a callback in progress, unless called in the callback; afterwards no callback runs.
  void Detach();

  // The stream's side. A new stream knows the session by `handle`. The first item will be the Open numbered
  // `open_number`, the largest number of this writer; answers to earlier Opens are ignored.
  void Attach(uint32_t handle, uint64_t writer, uint64_t open_number);
  uint32_t handle() const { return handle_; }

  // Adds at most a single item to `builder`. True if the session has more to send.
  bool Fill(const v1::Limits& limits, MessageBuilder& builder);

  // The connection's work after an item was handled.
  struct Next {
    Ready ready = Ready::kNo;
    bool ended = false;                           // forget the session
    bool close = false;                           // tell the server to close the handle, still open there
    absl::Duration retry = absl::ZeroDuration();  // not zero: give up the handle, Attach again after this time
  };
  Next OnOpened(const v1::Opened& opened);
  Next OnForecasts(const v1::Forecasts& forecasts);
  Next OnOverdue(const v1::Overdue& message);
  Next OnAcked(const v1::Acked& acked);
  Next OnClosed(const v1::Closed& closed);
  Next OnFailed(const v1::Failed& failed);
  void OnDisconnected(const absl::Status& why);
  Next End(const absl::Status& status);

  // The delivered_seq in the Close of a session that ended here first.
  uint64_t delivered_seq() const;

 private:
  enum class Phase {
    kWaiting,    // for a stream, or for another Open on this stream
    kUnopened,   // the next item is Open
    kOpening,    // Open is sent
    kOpen,       // tokens flow
    kRewinding,  // the Open is answered; the seq to go on from is not settled yet
    kClosing,    // Close is sent
    kEnded,
  };

  bool MustTell() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool Sendable() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  Ready Enqueue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t Room() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool Full() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool Flushed() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  uint64_t SafeSeq() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  absl::Status OutOfStep(uint64_t first_seq) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  absl::Status EndedStatus() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  absl::Status Named(absl::StatusCode code, absl::string_view what) const;
  absl::Status Named(const absl::Status& status) const { return Named(status.code(), status.message()); }

  // The session whose listener runs on this thread. constinit, since another file would otherwise reach the variable by
  // a call, and UBSan takes the call's result for null.
  static constinit thread_local const SessionState* current_callback;

  void FillOpen(MessageBuilder& builder) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FillTokens(MessageBuilder& builder) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FillDelivered(MessageBuilder& builder) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FillClose(MessageBuilder& builder) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::StatusOr<Loss> Adopt(const Opened& opened) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Loss AdoptFirst(const Opened& opened) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Loss> AdoptAgain(const Opened& opened) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckOpened(const Opened& opened) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void FixShape(const Opened& opened);
  void ResetLog(uint64_t seq) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Next DeleteAgain(const Opened& opened);
  Next GoOnFrom(uint64_t seq);
  Next Rewind(uint64_t seq, uint64_t kept);
  Next Advance(uint64_t next_seq, uint64_t durable_seq);
  Next OnOpenFailed(const absl::Status& status);
  bool TriesAgain(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Next OnTokensFailed(const absl::Status& status, uint64_t expected_seq);
  Next RetryAfter(const absl::Status& status);
  void Trim(uint64_t durable_seq) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckShape(const v1::Forecasts& forecasts) const;
  absl::Status CheckNumbers(const v1::Forecasts& forecasts) const;
  absl::Status CheckAnswered(absl::string_view item, uint64_t replies_from, uint64_t next_seq,
                             uint64_t durable_seq) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void HandOver(const v1::Forecasts& forecasts, uint64_t from);

  uint64_t every() const { return options_.output.every == 0 ? 1 : options_.output.every; }
  // The first seq >= `seq` with a due forecast.
  uint64_t Due(uint64_t seq) const { return (seq + every() - 1) / every() * every(); }

  // Runs `callback` as the listener's, unless detached.
  void Call(absl::FunctionRef<void()> callback);

  const SessionOptions options_;
  const std::string server_;
  Session& session_;    // valid until detached
  Listener& listener_;  // valid until detached
  std::atomic<bool> detached_ = false;

  uint32_t handle_ = 0;  // the connection's thread only, as are the next nine
  uint64_t writer_ = 0;
  uint64_t open_number_ = 0;
  size_t channels_ = 1;
  std::vector<uint32_t> horizons_;  // a forecast's
  std::vector<float> quantiles_;
  size_t values_ = 1;  // a forecast's
  int repairs_ = 0;    // refusals since the server last made progress
  bool told_disconnected_ = false;
  uint64_t overdue_below_ = 0;  // the listener has heard of missing events below

  mutable absl::Mutex mutex_;
  Phase phase_ ABSL_GUARDED_BY(mutex_) = Phase::kWaiting;
  bool queued_ ABSL_GUARDED_BY(mutex_) = false;   // the session is in the connection's queue
  bool calling_ ABSL_GUARDED_BY(mutex_) = false;  // a callback runs
  bool opened_once_ ABSL_GUARDED_BY(mutex_) = false;
  bool ready_ ABSL_GUARDED_BY(mutex_) = false;  // … and the listener knows
  Opened opened_ ABSL_GUARDED_BY(mutex_);
  absl::Duration waited_ ABSL_GUARDED_BY(mutex_) = absl::ZeroDuration();  // for room, before the first Opened
  uint64_t in_flight_limit_ ABSL_GUARDED_BY(mutex_) = UINT64_MAX;
  size_t tokens_per_item_ ABSL_GUARDED_BY(mutex_) = SIZE_MAX;
  TokenLog log_ ABSL_GUARDED_BY(mutex_);
  uint64_t sent_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t acked_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t ramp_ ABSL_GUARDED_BY(mutex_) = 0;  // the most unanswered tokens on this stream, for now
  uint64_t answered_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t told_ ABSL_GUARDED_BY(mutex_) = 0;            // the delivered_seq heard by the server
  uint64_t durable_ ABSL_GUARDED_BY(mutex_) = 0;         // the server's latest durable_seq
  uint64_t last_reply_end_ ABSL_GUARDED_BY(mutex_) = 0;  // behind the last forecast handed over
  uint64_t app_delivered_ ABSL_GUARDED_BY(mutex_) = 0;   // with manual_delivery: the seq of Delivered
  bool rewound_ ABSL_GUARDED_BY(mutex_) = false;         // and the application has not sent since
  bool close_wanted_ ABSL_GUARDED_BY(mutex_) = false;
  bool delete_wanted_ ABSL_GUARDED_BY(mutex_) = false;
  bool delete_sent_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status end_status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_SESSION_SESSION_STATE_H_
