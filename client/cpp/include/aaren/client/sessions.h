#ifndef AAREN_CLIENT_SESSIONS_H_
#define AAREN_CLIENT_SESSIONS_H_

// Sessions lists, copies, moves and deletes the sessions of a server, from outside their streams.
//
//   Sessions sessions({.target = "localhost:7860"});
//   auto copy = sessions.Fork("cpu-load", "cpu-load-what-if");  // StatusOr<SessionInfo>
//
// Threading: safe from any thread; calls block. Errors: the server's, with code and message; DEADLINE_EXCEEDED without
// an answer in time, UNAVAILABLE without a server, INVALID_ARGUMENT for invalid options. A call about a session unknown
// to the server is NOT_FOUND (reason SESSION_NOT_FOUND).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aaren/client/service.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace aaren::client {

struct SessionInfo {
  std::string id = {};
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  uint64_t next_seq = 0;
  uint64_t durable_seq = 0;
  uint64_t delivered_seq = 0;
  std::string model = {};  // name:version
  std::string package_digest = {};
  std::string tier = {};
  uint32_t numerics_version = 0;
  uint32_t channels = 0;
  uint64_t state_bytes = 0;                       // all rows of the session
  bool attached = false;                          // open on a stream, on whichever server
  bool resident = false;                          // the rows are in memory; otherwise only in the store
  absl::Time last_active = absl::InfinitePast();  // the last Open or token, to the millisecond
  std::string server = {};                        // HOST:PORT of the server with the stream; empty: none, or not told
};

// The choice of listed sessions.
struct SessionQuery {
  std::string prefix = {};      // the beginning of the ids
  uint32_t page_size = 0;       // 1 .. 1000; 0: the server's choice
  std::string page_token = {};  // from the page before; empty: the first
};

struct SessionPage {
  std::vector<SessionInfo> sessions = {};  // in order of id
  std::string next_page_token = {};        // empty on the last page
};

// A session's state, a few KB, accepted by any server with the same model package.
struct Snapshot {
  std::string bytes = {};
  uint64_t next_seq = 0;  // the captured seq
};

// The effect of an Import if the id is taken.
enum class ImportMode {
  kCreate,   // ALREADY_EXISTS
  kReplace,  // replaces the session, and fences a live writer
};

class Sessions {
 public:
  // Connects with the first call.
  explicit Sessions(ServiceOptions options);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  absl::StatusOr<SessionInfo> Get(const std::string& id, const CallOptions& call = {}) const;

  // A page. INVALID_ARGUMENT for a page token not given out by this server.
  absl::StatusOr<SessionPage> List(const SessionQuery& query = {}, const CallOptions& call = {}) const;

  // The session as of now, or as of the last token taken.
  absl::StatusOr<Snapshot> Export(const std::string& id, const CallOptions& call = {}) const;

  // Makes session `id` of Snapshot::bytes. DATA_LOSS if the bytes are cut or altered, FAILED_PRECONDITION
  // (STATE_SCHEMA) if they belong to another package, tier or numerics version.
  absl::StatusOr<SessionInfo> Import(const std::string& id, const std::string& snapshot,
                                     ImportMode mode = ImportMode::kCreate, const CallOptions& call = {}) const;

  // The session goes on with another model of the server, with new rows made from the values remembered by the old
  // rows: seq and times go on, and forecasts are as after those values. The session becomes a new incarnation. `seen`:
  // from Get. FAILED_PRECONDITION if a stream has the session open; ABORTED (FENCED) if a stream has opened the session
  // since `seen`; NOT_FOUND (MODEL_NOT_FOUND) for an unknown model. After every error the session is unchanged. A
  // client that has not had all its forecasts (delivered_seq below next_seq) does not get the missing ones any more.
  absl::StatusOr<SessionInfo> Migrate(const SessionInfo& seen, const std::string& model,
                                      const CallOptions& call = {}) const;

  // Copies session `id`, as of the last token taken. ALREADY_EXISTS if `new_id` is taken.
  absl::StatusOr<SessionInfo> Fork(const std::string& id, const std::string& new_id,
                                   const CallOptions& call = {}) const;

  // Forgets the session and its saves. Fences a live writer.
  absl::Status Delete(const std::string& id, const CallOptions& call = {}) const;

  // Like Delete, for a session not opened since `seen`: ABORTED (FENCED) if the epoch has changed.
  absl::Status DeleteUnused(const SessionInfo& seen, const CallOptions& call = {}) const;

  // The session leaves the server's memory, and the store keeps the session. A stream with the session opens it again,
  // and the application notices nothing but a pause. UNAVAILABLE if the store did not take the session, which then
  // stays. FAILED_PRECONDITION if nothing is saved.
  absl::Status Evict(const std::string& id, const CallOptions& call = {}) const;

 private:
  class Calls;
  const std::unique_ptr<const Calls> calls_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_SESSIONS_H_
