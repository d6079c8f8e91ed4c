#ifndef AAREN_CLIENT_ADMIN_H_
#define AAREN_CLIENT_ADMIN_H_

// Admin asks a running server what goes on inside, at its admin_address: settings, shards, streams, a tenant's
// sessions, and where its CPU time goes.
//
//   Admin admin({.target = "localhost:7862"});
//   auto shards = admin.Shards();  // StatusOr<std::vector<ShardInfo>>
//
// Threading: safe from any thread; calls block. Errors: the server's, with code and message; UNIMPLEMENTED where the
// target is no admin address, DEADLINE_EXCEEDED if no answer came in time, UNAVAILABLE if nobody is there,
// INVALID_ARGUMENT for options that cannot be right.

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
  std::string version = {};  // of the server
};

// The arena of one model's rows in one shard.
struct ModelRows {
  std::string model = {};  // name:version
  uint64_t used = 0;
  uint64_t free = 0;
  uint64_t row_bytes = 0;  // of each
  std::string tier = {};   // such as "exact"
};

// One core of the server.
struct ShardInfo {
  uint32_t shard = 0;
  uint64_t sessions_attached = 0, sessions_resting = 0, sessions_demoted = 0;
  uint64_t sessions_stalled = 0;  // whose streams wait until the store has their saves
  uint64_t streams = 0;
  uint64_t queued_tokens = 0, queued_bytes = 0;  // that wait for a step
  uint64_t unread_bytes = 0;                     // of replies that clients have not taken
  uint64_t held_bytes = 0;                       // of replies that wait for a save
  uint64_t slice_tokens = 0;                     // of the last slice that was stepped
  absl::Duration slice = {};                     // how long it took
  double busy = 0;                               // share of the last second with work
  absl::Duration round = {};                     // how long the round under way has taken
  std::vector<ModelRows> rows = {};
};

struct StreamInfo {
  uint32_t shard = 0;
  uint64_t number = 0;  // of its shard's streams
  std::string peer = {}, tenant = {}, role = {};
  absl::Duration age = {};
  uint64_t sessions = 0;
  uint64_t queued_bytes = 0;   // of its tokens that wait
  uint64_t unread_bytes = 0;   // of replies that its client has not taken
  absl::Duration unread = {};  // how long the oldest of these waits
  bool reading = false;        // its next message is waited for
};

struct StreamPage {
  std::vector<StreamInfo> streams = {};
  std::string next_page_token = {};  // empty on the last page
};

// A session in the server's memory, or whose handle is. Of one that is attached and not resident (demoted) the store
// knows more: it has no incarnation here, and last_active is 1970.
struct LiveSession {
  SessionInfo session = {};
  uint32_t shard = 0;
  uint64_t queued_tokens = 0;
  bool stalled = false;  // its stream waits until the store has taken what it has
};

struct LiveSessionPage {
  std::vector<LiveSession> sessions = {};  // in order of id
  std::string next_page_token = {};        // empty on the last page
};

struct CpuProfile {
  std::string folded = {};  // a line a stack: "thread;outermost;...;innermost COUNT"
  uint64_t samples = 0;
  uint64_t dropped = 0;          // for which there was no room
  absl::Duration interval = {};  // of CPU time, from one sample to the next
};

// A session that the server's metrics tell of by itself.
struct WatchedSession {
  std::string tenant = {}, id = {};
  uint64_t tokens = 0;       // that the server has stepped meanwhile
  absl::Duration left = {};  // until it is forgotten
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

  // Takes 1 .. 30 seconds, beside which there is the service's timeout. RESOURCE_EXHAUSTED while another one is taken.
  absl::StatusOr<CpuProfile> Profile(uint32_t seconds) const;

  // Has the metrics tell of one session, for 1 s to 24 h from now on, or no longer. Returns all that are watched then.
  // RESOURCE_EXHAUSTED while as many others are as may be.
  absl::StatusOr<std::vector<WatchedSession>> Watch(const std::string& tenant, const std::string& id,
                                                    absl::Duration duration, const CallOptions& call = {}) const;
  absl::StatusOr<std::vector<WatchedSession>> Unwatch(const std::string& tenant, const std::string& id,
                                                      const CallOptions& call = {}) const;

 private:
  class Calls;
  // Of no seconds at all it is not to be watched.
  absl::StatusOr<std::vector<WatchedSession>> AskWatch(const std::string& tenant, const std::string& id,
                                                       uint32_t seconds, const CallOptions& call) const;
  const absl::Duration timeout_;
  const std::unique_ptr<const Calls> calls_;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_ADMIN_H_
