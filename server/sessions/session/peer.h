#ifndef AAREN_SERVER_SESSIONS_SESSION_PEER_H_
#define AAREN_SERVER_SESSIONS_SESSION_PEER_H_

// The words between the session layer and a stream, as plain C++. The rpc layer converts messages, so that the session
// layer knows neither gRPC nor protobuf. proto/aaren/v1/stream.proto tells the meaning of each field.
//
// A Peer is one client's stream as the session layer sees the stream: somebody to answer. All calls between a peer and
// its shard happen on the shard's thread. The shard calls a peer from inside its own methods, and a peer must not call
// the shard back.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/sessions/task/conversion.h"
#include "server/sessions/task/output.h"
#include "server/sessions/task/token_numbers.h"
#include "server/store/session_point.h"

namespace aaren::identity {
class Account;  // server/identity/accounts/account.h
}  // namespace aaren::identity
namespace aaren::models {
struct LoadedModel;  // server/sessions/models/model_table.h
}  // namespace aaren::models

namespace aaren::session {

using Handle = uint32_t;

// The reason of a refusal: becomes google.rpc.Status with details. A refusal folds nothing and loses nothing.
struct Refusal {
  absl::Status status;  // code and a message that names the culprit
  std::string reason;   // ErrorInfo.reason: "SESSION_NOT_FOUND", "INCARNATION", ...; empty: none
  std::vector<std::pair<std::string, std::string>> metadata;  // ErrorInfo.metadata: {"current_epoch", "7"}, ...
  std::string field;                                          // BadRequest.field_violations; empty: none
  std::string quota;                                          // QuotaFailure subject; empty: none
  std::optional<absl::Duration> retry_after;                  // RetryInfo
};

// A result or the reason why not.
template <typename T>
struct Outcome {
  std::optional<Refusal> refusal;
  T value{};
};

struct RegularTimes {
  int64_t start_ns = 0;
  int64_t step_ns = 0;
};

enum class OpenMode { kCreateOrResume, kCreate, kResume };

// How much of a session outlives its server: Open.Durability of the proto, number for number.
enum class SessionDurability : uint8_t { kServerDefault, kNone, kInterval, kEveryToken };

struct OpenRequest {
  std::string tenant;
  std::string session_id;
  std::string model;
  OpenMode mode = OpenMode::kCreateOrResume;
  std::optional<uint64_t> delivered_seq;
  std::optional<uint64_t> incarnation;
  uint32_t channels = 0;
  task::OutputRequest output;
  std::optional<RegularTimes> regular_times;
  store::Attempt attempt;
  SessionDurability durability = SessionDurability::kServerDefault;
  std::optional<task::CovariateCounts> covariates;  // absent: none, or the session's own
  std::optional<bool> profile;                      // absent: none, or the session's own

  // The extension asked for, of a session that has `own`.
  engine::Extension ExtensionOver(const engine::Extension& own = {}) const {
    return {.past = covariates ? covariates->past : own.past,
            .future = covariates ? covariates->future : own.future,
            .profile = profile.value_or(own.profile)};
  }
};

// A view of one Tokens item; valid during the call.
struct TokensView : task::TokenNumbers {
  Handle handle = 0;
  uint64_t first_seq = 0;
  std::optional<uint64_t> delivered_seq;
  bool silent = false;
  uint16_t trace = 0;  // the mark of a traced message (server/operate/trace/tracer.h); 0: not traced

  // True if the token `seq` is among these `count` tokens.
  bool Holds(uint64_t seq, uint64_t count) const { return first_seq <= seq && seq - first_seq < count; }
};

struct OpenedReply {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  uint64_t next_seq = 0;
  uint64_t durable_seq = 0;
  store::TokenClock clock;  // after token next_seq - 1
  bool created = false;
  std::optional<std::pair<uint64_t, uint64_t>> lost;  // [begin, end)
  const models::LoadedModel* model = nullptr;         // valid during the call
  uint32_t channels = 1;
  uint64_t number = 0;  // the Open's
  SessionDurability durability = SessionDurability::kInterval;
};

// Results of part of a run. Pointers are valid during the call.
struct ForecastsReply {
  uint64_t first_seq = 0;  // the reply's first token
  uint64_t next_seq = 0;
  uint64_t durable_seq = 0;
  size_t results = 0;
  size_t channels = 1;
  // Result r of channel ch is forecasts[r * channels + ch], float32 [Engine::result_floats()]: all that the model has,
  // and the selection of the plan.
  absl::Span<const float* const> forecasts;
  absl::Span<const float> surprises;   // [results, channels], or empty
  absl::Span<const int64_t> times_ns;  // [results], or empty
  absl::Span<const int64_t> steps_ns;  // [results], or empty
  const task::OutputPlan* plan = nullptr;
  const models::LoadedModel* model = nullptr;
};

// No event has come for longer than the session's Open allows.
struct OverdueReply {
  uint64_t next_seq = 0;  // the missing event's
  int64_t time_ns = 0;    // the time by which the event should have come
  float probability = 0;  // that an interval is as long as this
};

// The shard's notes about a stream. The shard derives its own type from this.
struct PeerNotes {};

class Peer {
 public:
  virtual ~Peer() = default;

  // An Open is answered by OnOpened or OnOpenRefused, a Close by OnClosed or OnCloseRefused.
  virtual void OnOpened(Handle handle, const OpenedReply& reply) = 0;
  virtual void OnOpenRefused(Handle handle, uint64_t number, const Refusal& refusal) = 0;
  virtual void OnClosed(Handle handle, uint64_t next_seq, uint64_t durable_seq) = 0;
  virtual void OnCloseRefused(Handle handle, const Refusal& refusal) = 0;

  virtual void OnForecasts(Handle handle, const ForecastsReply& reply) = 0;
  virtual void OnAcked(Handle handle, uint64_t next_seq, uint64_t durable_seq) = 0;

  // At most once between two tokens of a session.
  virtual void OnOverdue(Handle handle, const OverdueReply& reply) = 0;

  // Tokens were refused, or the session was taken away.
  virtual void OnFailed(Handle handle, const Refusal& refusal, uint64_t expected_seq) = 0;

  // True if the peer takes more forecasts now. Otherwise its sessions are not stepped until SessionShard::Resume.
  virtual bool HasRoom() const = 0;

  // A request that had to wait (SessionShard::Open, Tokens, Close) may be tried again.
  virtual void OnRoom() = 0;

  identity::Account* account = nullptr;  // the tenant's, set before the first call of the shard; null: none
  PeerNotes* notes = nullptr;            // the shard's own; null: the shard does not know the peer
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_PEER_H_
