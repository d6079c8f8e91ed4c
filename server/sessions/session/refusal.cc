#include "server/sessions/session/refusal.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/identity/accounts/account.h"
#include "server/operate/log/shown.h"
#include "server/store/store.h"

namespace aaren::session {
namespace {

constexpr absl::Duration kStoreRetry = absl::Seconds(1);
constexpr absl::Duration kShutdownRetry = absl::Milliseconds(200);  // a proxy sends it elsewhere by then
constexpr absl::Duration kEvictedRetry = absl::Milliseconds(1);
constexpr absl::Duration kTenantRetry = absl::Seconds(1);

Refusal Because(absl::Status status, std::string reason) {
  Refusal refusal;
  refusal.status = std::move(status);
  refusal.reason = std::move(reason);
  return refusal;
}

}  // namespace

Refusal InvalidField(std::string field, absl::string_view problem) {
  Refusal refusal = Because(absl::InvalidArgumentError(absl::StrCat(field, ": ", problem)), "");
  refusal.field = std::move(field);
  return refusal;
}

Refusal InvalidField(const task::BadField& bad) { return InvalidField(bad.field, bad.problem); }

Refusal SessionNotFound(absl::string_view id) {
  return Because(absl::NotFoundError(absl::StrCat("no session '", id, "'")), "SESSION_NOT_FOUND");
}

Refusal HandleNotFound(Handle handle) {
  return Because(absl::NotFoundError(absl::StrCat("handle ", handle, " is not open on this stream")),
                 "HANDLE_NOT_FOUND");
}

Refusal ModelNotFound(const absl::Status& status) { return Because(status, "MODEL_NOT_FOUND"); }

Refusal SessionExists(absl::string_view id, uint64_t epoch) {
  Refusal refusal = Because(absl::AlreadyExistsError(absl::StrCat("session '", id, "' exists")), "SESSION_EXISTS");
  refusal.metadata = {{"epoch", absl::StrCat(epoch)}};
  return refusal;
}

Refusal Fenced(absl::string_view id, uint64_t current_epoch) {
  const std::string how =
      current_epoch == 0 ? std::string("deleted") : absl::StrCat("taken by another writer at epoch ", current_epoch);
  Refusal refusal = Because(absl::AbortedError(absl::StrCat("session '", id, "' was ", how)), "FENCED");
  refusal.metadata = {{"current_epoch", absl::StrCat(current_epoch)}};
  return refusal;
}

Refusal StaleOpen(absl::string_view id, uint64_t current_epoch) {
  const std::string since = current_epoch == 0 ? " and deleted" : absl::StrCat(", at epoch ", current_epoch);
  Refusal refusal = Because(
      absl::AbortedError(absl::StrCat("session '", id, "' was opened by a later Open of the same writer", since)),
      "STALE_OPEN");
  refusal.metadata = {{"current_epoch", absl::StrCat(current_epoch)}};
  return refusal;
}

Refusal OtherIncarnation(absl::string_view id, uint64_t wanted, uint64_t held) {
  Refusal refusal =
      Because(absl::FailedPreconditionError(absl::StrCat("session '", id, "' is incarnation ", held, ", not ", wanted)),
              "INCARNATION");
  refusal.metadata = {{"incarnation", absl::StrCat(held)}};
  return refusal;
}

Refusal NotDurable(absl::string_view id, absl::string_view why) {
  Refusal refusal = Because(
      absl::FailedPreconditionError(absl::StrCat("session '", id, "' cannot have durability EVERY_TOKEN here: ", why)),
      "DURABILITY");
  refusal.field = "open.durability";
  return refusal;
}

Refusal OtherSchema(absl::string_view id, absl::string_view what, absl::string_view wanted, absl::string_view held) {
  Refusal refusal =
      Because(absl::FailedPreconditionError(absl::StrCat("session '", id, "' has ", what, " '", log::Shown(held),
                                                         "', here it is '", wanted, "'")),
              "STATE_SCHEMA");
  refusal.metadata = {{"field", std::string(what)}, {"session", log::Shown(held)}, {"here", std::string(wanted)}};
  return refusal;
}

Refusal LiveElsewhere(absl::string_view id, const std::string& server) {
  const std::string where = server.empty() ? "another server" : absl::StrCat("the server at ", server);
  Refusal refusal = Because(absl::FailedPreconditionError(absl::StrCat("session '", id, "' is open at ", where,
                                                                       ", which has newer tokens of it; ask there")),
                            "LIVE_ELSEWHERE");
  refusal.metadata = {{"server", server}};
  return refusal;
}

Refusal SequenceGap(uint64_t first_seq, uint64_t expected_seq) {
  Refusal refusal =
      Because(absl::OutOfRangeError(absl::StrCat("tokens begin at seq ", first_seq, ", expected is ", expected_seq)),
              "SEQUENCE_GAP");
  refusal.metadata = {{"expected_seq", absl::StrCat(expected_seq)}};
  return refusal;
}

Refusal SetAside(uint64_t end_seq, uint64_t expected_seq) {
  Refusal refusal = Because(absl::OutOfRangeError(absl::StrCat("there was no room for tokens ", expected_seq, " to ",
                                                               end_seq, ", which are expected again")),
                            "SET_ASIDE");
  refusal.metadata = {{"expected_seq", absl::StrCat(expected_seq)}};
  return refusal;
}

Refusal BadState(absl::string_view what, const absl::Status& status) {
  return Because(absl::Status(status.code(), absl::StrCat(what, ": ", status.message())),
                 absl::IsDataLoss(status) ? "CORRUPT_STATE" : "STATE_SCHEMA");
}

Refusal PlainRefusal(absl::Status status) {
  Refusal refusal;
  refusal.status = std::move(status);
  return refusal;
}

Refusal OverQuota(std::string quota, absl::string_view problem, absl::Duration retry_after) {
  Refusal refusal = Because(absl::ResourceExhaustedError(problem), "QUOTA");
  refusal.metadata = {{"quota", quota}};
  refusal.quota = std::move(quota);
  if (retry_after > absl::ZeroDuration()) refusal.retry_after = retry_after;
  return refusal;
}

Refusal OverTenantQuota(const identity::Account& account, identity::Account::Limit limit, absl::string_view problem,
                        absl::Duration retry_after) {
  const absl::string_view name = identity::Account::kLimits[static_cast<size_t>(limit)];
  return OverQuota(absl::StrCat("tenant:", account.tenant(), "/", name),
                   absl::StrCat("tenant '", account.tenant(), "' ", problem), retry_after);
}

Refusal TooManySessions(const identity::Account& account) {
  const std::string problem = absl::StrCat("has ", account.sessions.limit(), " sessions open, which is its limit");
  return OverTenantQuota(account, identity::Account::Limit::kSessions, problem, kTenantRetry);
}

Refusal TooManyStoredBytes(const identity::Account& account, uint64_t stored, uint64_t bytes) {
  const std::string problem = absl::StrCat("has ", stored, " bytes stored and may have ", account.stored_bytes.limit(),
                                           ", and a new session takes ", bytes);
  return OverTenantQuota(account, identity::Account::Limit::kStored, problem, kTenantRetry);
}

Refusal TooManyStreams(const identity::Account& account) {
  const std::string problem = absl::StrCat("has ", account.streams.limit(), " streams open, which is its limit");
  return OverTenantQuota(account, identity::Account::Limit::kStreams, problem, kTenantRetry);
}

Refusal TooManyUnaryCalls(const identity::Account& account, absl::Duration retry_after) {
  const std::string problem =
      absl::StrCat("may make ", account.limits().unary_per_second, " unary calls a second, and has made them");
  return OverTenantQuota(account, identity::Account::Limit::kUnary, problem, retry_after);
}

Refusal StoreRefusal(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return OverQuota("memory", status.message(), absl::Seconds(1));
  if (store::IsUnreadable(status)) return BadState("store", status);
  Refusal refusal = Because(absl::UnavailableError(absl::StrCat("store: ", status.message())), "STORE");
  refusal.retry_after = kStoreRetry;
  return refusal;
}

Refusal LoadRefusal(absl::string_view id, const absl::Status& status) {
  return absl::IsNotFound(status) ? SessionNotFound(id) : StoreRefusal(status);
}

Refusal Unauthenticated() {
  return Because(absl::UnauthenticatedError("neither a token nor a certificate that this server knows"), "CALLER");
}

Refusal TooManyAttempts() {
  Refusal refusal =
      Because(absl::UnauthenticatedError("the token was not checked: too many of nobody's came just now"), "CALLER");
  refusal.retry_after = kTenantRetry;
  return refusal;
}

Refusal StruckOut() {
  return Because(absl::UnauthenticatedError("this server does not know the caller of this stream any more"), "CALLER");
}

Refusal PermissionDenied(absl::string_view role, absl::string_view least) {
  return Because(absl::PermissionDeniedError(absl::StrCat("this needs the role ", least, "; the caller's is ", role)),
                 "ROLE");
}

Refusal ShuttingDown() {
  Refusal refusal = Because(absl::UnavailableError("the server is shutting down"), "");
  refusal.retry_after = kShutdownRetry;
  return refusal;
}

Refusal OpenCancelled() { return Because(absl::CancelledError("the stream of the Open has gone"), ""); }

Refusal Untold(absl::string_view id, uint64_t durable_seq) {
  return Because(absl::DeadlineExceededError(
                     absl::StrCat("session '", id,
                                  "' has durability EVERY_TOKEN, and its client has not told for a minute that it has "
                                  "the replies below seq ",
                                  durable_seq, " (delivered_seq): the next ones wait for that")),
                 "DELIVERY");
}

Refusal GaveWay(absl::string_view id) {
  Refusal refusal = Because(
      absl::UnavailableError(absl::StrCat("session '", id,
                                          "' gave way: others wait for its row, or for room for their replies, and its "
                                          "client has not told delivered_seq for a second")),
      "DELIVERY");
  refusal.retry_after = kStoreRetry;
  return refusal;
}

Refusal EvictedByRequest(absl::string_view id) {
  Refusal refusal = Because(absl::UnavailableError(absl::StrCat("session '", id, "' was evicted")), "EVICTED");
  refusal.retry_after = kEvictedRetry;
  return refusal;
}

Refusal EvictedForRoom(absl::string_view id) {
  Refusal refusal = Because(
      absl::UnavailableError(absl::StrCat("session '", id, "' has durability NONE, and the server needed its room")),
      "EVICTED");
  refusal.retry_after = kEvictedRetry;
  return refusal;
}

Refusal NotEvicted(absl::string_view id) {
  Refusal refusal =
      Because(absl::UnavailableError(absl::StrCat("session '", id, "' stays: the store did not take it")), "STORE");
  refusal.retry_after = kStoreRetry;
  return refusal;
}

Refusal NothingIsSaved() {
  return Because(absl::FailedPreconditionError("nothing is saved here (save_interval 0)"), "NOTHING_IS_SAVED");
}

Refusal EngineFailed(const absl::Status& status) {
  return Because(absl::InternalError(absl::StrCat("engine: ", status.message())), "ENGINE");
}

}  // namespace aaren::session
