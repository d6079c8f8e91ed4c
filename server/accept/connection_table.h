#ifndef AAREN_SERVER_ACCEPT_CONNECTION_TABLE_H_
#define AAREN_SERVER_ACCEPT_CONNECTION_TABLE_H_

// A ConnectionTable knows every open connection by its peer's name, which shard has it, and how many each host has.
//
// The sockets are gRPC's, which closes them when it likes. So a connection is known by its descriptor and its cookie,
// the kernel's own number of a socket, which it gives to no other.
//
// When all places are taken, the host that has most gives way (host_places.h). Threading: none of its own.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/accept/frame_flood.h"
#include "server/accept/heard.h"
#include "server/accept/holds.h"
#include "server/accept/host_places.h"

namespace aaren::accept {

struct Connection {
  // Whether the descriptor is still this connection's.
  bool Lasts() const;

  // Ends it at once, if it lasts: what waits on either side is dropped, and the peer is told. False if it does not.
  bool Reset() const;

  // Drops whatever comes of the peer from now on, until Release: it will be sent again, from a fifth of a second on.
  // What waits already can be read. False if it has ended, or the kernel does not do it.
  bool Hold() const;
  void Release() const;

  // Bytes that have come from the peer, and those of them that gRPC has read; zeros if it has ended.
  struct Traffic {
    uint64_t received = 0, read = 0;
  };
  Traffic traffic() const;

  // The first bytes that wait to be read, as many as there is room for; they wait on.
  absl::string_view Peek(absl::Span<char> room) const;

  // Bytes that have come, or waited to be read, since this was last called; the first time, of late. What waits then
  // counts again next time.
  uint64_t TakeBrought();

  // While nobody asks what it brought: what came before counts half after a second, a quarter after two. gRPC may
  // still be at work on it.
  void Age(absl::Time now);

  // Whether so much has come of late, and nothing came of that, that it must be a flood. Either more than flow control
  // lets a client send before its first call begins, at the last two calls of Age: many streams may begin at once. Or
  // gRPC has read more than a message of the greatest size and what may come with it.
  bool BringsNothing(uint64_t message_bytes) const;
  static constexpr uint64_t kMostFirst = 1 << 20, kBesideMessage = 64 << 20;  // bytes

  size_t shard = 0;
  int socket = -1;
  uint64_t cookie = 0;
  uint64_t number = 0;  // of those before it
  std::string host;
  FloodEvidence evidence;  // while a shard is late
  Holds holds;
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();

 private:
  uint64_t read_ = 0;      // at the last TakeBrought
  uint64_t received_ = 0;  // at the last Age or TakeBrought
  double vain_ = 0;        // bytes read since something was handled or TakeBrought; half of them after ten seconds
  uint64_t seen_ = 0;      // bytes read at the last Age
  int64_t heard_at_ = 0;   // at the last Age
  int early_ = 0;          // calls of Age, one after another, at which much had come before the first call
  double of_late_ = 0;     // bytes, up to the last Age
  absl::Time aged_ = absl::InfinitePast();
  bool calm_ = false;  // that was later than the last TakeBrought
};

class ConnectionTable {
 public:
  using Connections = absl::flat_hash_map<std::string, Connection>;  // by peer

  explicit ConnectionTable(size_t shards) : of_shards_(shards) {}

  size_t size() const { return connections_.size(); }
  Connections& connections() { return connections_; }
  const Connections& connections() const { return connections_; }

  // Null if there is none.
  const Connection* Find(const std::string& peer) const;

  // Adds a connection of this shard.
  void Add(const std::string& peer, int socket, size_t shard);

  void Remove(const std::string& peer);

  const std::vector<size_t>& of_shards() const { return of_shards_; }  // connections of each

  // Forgets those that have ended among the next `most`, and shows the others. Calls go round all, so that none of them
  // takes long.
  void RemoveEnded(size_t most, absl::FunctionRef<void(const std::string& peer, Connection&)> look);

  // The peer that must go so that `host` may have one more, as HostPlaces has it.
  std::optional<std::string> WhoGivesWayTo(const std::string& host, absl::Time now);

 private:
  void Forget(const Connection& connection);

  uint64_t last_number_ = 0;
  uint64_t last_looked_at_ = 0;  // number of the last one that RemoveEnded saw
  Connections connections_;
  std::map<uint64_t, std::string> peers_;  // by number
  HostPlaces hosts_;
  std::vector<size_t> of_shards_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_CONNECTION_TABLE_H_
