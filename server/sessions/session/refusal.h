#ifndef AAREN_SERVER_SESSIONS_SESSION_REFUSAL_H_
#define AAREN_SERVER_SESSIONS_SESSION_REFUSAL_H_

// Every reason for which the session layer refuses something, with the code and details that clients are promised.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/sessions/session/peer.h"

namespace aaren::session {

template <typename T>
Outcome<T> Refused(Refusal refusal) {
  return {.refusal = std::move(refusal)};
}

// INVALID_ARGUMENT. `field` is the path in the message: "tokens.values[12]".
Refusal InvalidField(std::string field, absl::string_view problem);
Refusal InvalidField(const task::BadField& bad);

// NOT_FOUND.
Refusal SessionNotFound(absl::string_view id);
Refusal HandleNotFound(Handle handle);
Refusal ModelNotFound(const absl::Status& status);

// ALREADY_EXISTS.
Refusal SessionExists(absl::string_view id, uint64_t epoch);

// ABORTED: another writer has taken the session.
Refusal Fenced(absl::string_view id, uint64_t current_epoch);

// ABORTED: a later Open of the same writer has the session, or had it when it was deleted (current_epoch 0).
Refusal StaleOpen(absl::string_view id, uint64_t current_epoch);

// FAILED_PRECONDITION.
Refusal OtherIncarnation(absl::string_view id, uint64_t wanted, uint64_t held);
Refusal OtherSchema(absl::string_view id, absl::string_view what, absl::string_view wanted, absl::string_view held);

// FAILED_PRECONDITION: another server has the session open, at HOST:PORT if that is told.
Refusal LiveElsewhere(absl::string_view id, const std::string& server);

// FAILED_PRECONDITION: EVERY_TOKEN is not to be had.
Refusal NotDurable(absl::string_view id, absl::string_view why);

// UNAUTHENTICATED: an unknown caller; too many unknown callers from the host; a caller struck from the list.
Refusal Unauthenticated();
Refusal TooManyAttempts();
Refusal StruckOut();

// PERMISSION_DENIED.
Refusal PermissionDenied(absl::string_view role, absl::string_view least);

// OUT_OF_RANGE.
Refusal SequenceGap(uint64_t first_seq, uint64_t expected_seq);
Refusal SetAside(uint64_t end_seq, uint64_t expected_seq);  // the client sends the tokens again, without a fault

// DATA_LOSS, or the code of `status`, for the bytes of `what`.
Refusal BadState(absl::string_view what, const absl::Status& status);

// A refusal with a status only.
Refusal PlainRefusal(absl::Status status);

// RESOURCE_EXHAUSTED with the quota. A retry may succeed after `retry_after`, unless zero.
Refusal OverQuota(std::string quota, absl::string_view problem, absl::Duration retry_after);

// The same, for the limits of a tenant in the list of callers.
Refusal TooManySessions(const identity::Account& account);
Refusal TooManyStreams(const identity::Account& account);
// `bytes`: of the refused session.
Refusal TooManyStoredBytes(const identity::Account& account, uint64_t stored, uint64_t bytes);
Refusal TooManyUnaryCalls(const identity::Account& account, absl::Duration retry_after);

// UNAVAILABLE: the store failed.
Refusal StoreRefusal(const absl::Status& status);

// The store has not given the session: NOT_FOUND, or as StoreRefusal.
Refusal LoadRefusal(absl::string_view id, const absl::Status& status);

// UNAVAILABLE: the server leaves.
Refusal ShuttingDown();

// CANCELLED: the stream of the Open has gone; nobody is told.
Refusal OpenCancelled();

// DEADLINE_EXCEEDED: replies wait in vain for a delivered_seq.
Refusal Untold(absl::string_view id, uint64_t durable_seq);

// UNAVAILABLE: a reply waits for a delivered_seq, and leaves no room for other replies. A new Open may succeed.
Refusal GaveWay(absl::string_view id);

// UNAVAILABLE: an operator evicted the session. A new Open succeeds at once.
Refusal EvictedByRequest(absl::string_view id);

// UNAVAILABLE: the session is never saved, and a returning session needed the row.
Refusal EvictedForRoom(absl::string_view id);

// UNAVAILABLE: the session stays, since the store did not take it in time.
Refusal NotEvicted(absl::string_view id);

// FAILED_PRECONDITION: the server saves nothing.
Refusal NothingIsSaved();

// INTERNAL.
Refusal EngineFailed(const absl::Status& status);

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_REFUSAL_H_
