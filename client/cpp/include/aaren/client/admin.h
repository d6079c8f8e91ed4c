#ifndef AAREN_CLIENT_ADMIN_H_
#define AAREN_CLIENT_ADMIN_H_

// Admin asks a running server about its inside, at the server's admin_address: settings, shards, streams, a tenant's
// sessions, and the use of CPU time.
//
//   Admin admin({.target = "localhost:7862"});
//   auto shards = admin.Shards();  // StatusOr<std::vector<ShardInfo>>
//
// Threading: safe from any thread; calls block. Errors: the server's, with code and message; UNIMPLEMENTED if the
// target is no admin address, DEADLINE_EXCEEDED without an answer in time, UNAVAILABLE without a server,
// INVALID_ARGUMENT for invalid options.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aaren/client/service.h"
#include "aaren/client/sessions.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace aaren::client {

struct Setting {
  std::string name = {};
  std::string value = {};  // secrets are ***
  bool is_default = false;
};

struct ServerSettings {
  std::vector<Setting> settings = {};
  std::string version = {};  // the server's
};

// The arena of a model's rows in a shard.
struct ModelRows {
  std::string model = {};  // name:version
  uint64_t used = 0;
  uint64_t free = 0;
  uint64_t row_bytes = 0;  // bytes of a row
  std::string tier = {};   // for example "exact"
};

// A core of the server.
struct ShardInfo {
  uint32_t shard = 0;
  uint64_t sessions_attached = 0, sessions_resting = 0, sessions_demoted = 0;
  uint64_t sessions_stalled = 0;  // their streams wait until the store has the saves
  uint64_t streams = 0;
  uint64_t queued_tokens = 0, queued_bytes = 0;  // waiting for a step
  uint64_t unread_bytes = 0;                     // replies not taken by clients
  uint64_t held_bytes = 0;                       // replies that wait for a save
  uint64_t slice_tokens = 0;                     // in the last slice stepped
  absl::Duration slice = {};                     // the time of the last slice
  double busy = 0;                               // share of the last second with work
  absl::Duration round = {};                     // how long the round under way has taken
  std::vector<ModelRows> rows = {};
};

struct StreamInfo {
  uint32_t shard = 0;
  uint64_t number = 0;  // among its shard's streams
  std::string peer = {}, tenant = {}, role = {};
  absl::Duration age = {};
  uint64_t sessions = 0;
  uint64_t queued_bytes = 0;   // its waiting tokens
  uint64_t unread_bytes = 0;   // replies not taken by its client
  absl::Duration unread = {};  // how long the oldest unread reply waits
  bool reading = false;        // the server waits for the next message
};

struct StreamPage {
  std::vector<StreamInfo> streams = {};
  std::string next_page_token = {};  // empty on the last page
};

// A session in the server's memory, or only its handle. The store knows more about an attached session that is not
// resident (demoted): here it has no incarnation, and last_active is 1970.
struct LiveSession {
  SessionInfo session = {};
  uint32_t shard = 0;
  uint64_t queued_tokens = 0;
  bool stalled = false;  // its stream waits until the store has taken the saves
};

struct LiveSessionPage {
  std::vector<LiveSession> sessions = {};  // in order of id
  std::string next_page_token = {};        // empty on the last page
};

struct CpuProfile {
  std::string folded = {};  // a line a stack: "thread;outermost;...;innermost COUNT"
  uint64_t samples = 0;
  uint64_t dropped = 0;          // for lack of room
  absl::Duration interval = {};  // CPU time between two samples
};

// A session with metrics of its own.
struct WatchedSession {
  std::string tenant = {}, id = {};
  uint64_t tokens = 0;       // stepped since the beginning of the watch
  absl::Duration left = {};  // until the watch ends
};

class Admin {
 public:
  // Connects with the first call.
  explicit Admin(ServiceOptions options);
  ~Admin();
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  absl::StatusOr<ServerSettings> Settings(const CallOptions& call = {}) const;
  absl::StatusOr<std::vector<ShardInfo>> Shards(const CallOptions& call = {}) const;

  // `page_token`: of the page before; empty: the first. `page_size`: 1 .. 200; 0: the server's choice.
  absl::StatusOr<StreamPage> Streams(const std::string& page_token = "", uint32_t page_size = 0,
                                     const CallOptions& call = {}) const;
  absl::StatusOr<LiveSessionPage> Sessions(const std::string& tenant, const std::string& page_token = "",
                                           uint32_t page_size = 0, const CallOptions& call = {}) const;

  // Takes 1 .. 30 seconds, plus the service's timeout. RESOURCE_EXHAUSTED while another profile is taken.
  absl::StatusOr<CpuProfile> Profile(uint32_t seconds) const;

  // Gives a session metrics of its own for 1 s to 24 h from now on, or ends them. Returns all watched sessions.
  // RESOURCE_EXHAUSTED if the server watches as many sessions as allowed.
  absl::StatusOr<std::vector<WatchedSession>> Watch(const std::string& tenant, const std::string& id,
                                                    absl::Duration duration, const CallOptions& call = {}) const;
  absl::StatusOr<std::vector<WatchedSession>> Unwatch(const std::string& tenant, const std::string& id,
                                                      const CallOptions& call = {}) const;

 private:
  class Calls;
  // Zero seconds end the watch.
  absl::StatusOr<std::vector<WatchedSession>> AskWatch(const std::string& tenant, const std::string& id,
                                                       uint32_t seconds, const CallOptions& call) const;
  const absl::Duration timeout_;
  const std::unique_ptr<const Calls> calls_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_ADMIN_H_
