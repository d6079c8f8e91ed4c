#ifndef AAREN_SERVER_ACCEPT_CONNECTION_TABLE_H_
#define AAREN_SERVER_ACCEPT_CONNECTION_TABLE_H_

// A ConnectionTable knows every open connection by the peer's name, and counts connections by shard and by host.
//
// gRPC owns the sockets and closes them at any time. The table therefore knows a connection by its descriptor and its
// cookie, the kernel's own number of a socket, never given to another socket.
//
// Threading: not thread-safe.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "server/accept/heard.h"

namespace aaren::accept {

// Packets with data that have come on a connection, and their bytes.
struct Traffic {
  uint64_t packets = 0, bytes = 0;
};

// HeaderTime detects a header that never ends. While gRPC waits for the end of a header, nothing else of the connection
// is handled, and each further packet costs a copy of all packets before (CVE-2023-33953). A large, slow message has
// full packets; a client sending many small messages has some of them handled.
class HeaderTime {
 public:
  static constexpr absl::Duration kLongest = absl::Seconds(10);
  static constexpr uint64_t kPackets = 100;    // a second
  static constexpr uint64_t kSmall = 256;      // bytes of a packet, on average
  static constexpr uint64_t kBytes = 8 << 20;  // beside two messages

  // `heard_ns` is the time from Heard. True once, with nothing handled for kLongest, the client has sent kPackets a
  // second of less than kSmall bytes, or more than two of the largest messages and kBytes. Call IsOver every second or
  // two.
  bool IsOver(const Traffic& traffic, int64_t heard_ns, uint64_t message_bytes, absl::Time now);

 private:
  absl::Time since_ = absl::InfinitePast();  // the last look that found something handled
  Traffic before_;                           // the traffic at that look
  int64_t heard_ns_ = -1;
};

// How much a client has sent within the last two to four seconds. A plain value.
class SentOfLate {
 public:
  // `bytes`: all bytes of the connection so far. Call Look every second or so.
  void Look(uint64_t bytes, absl::Time now);

  uint64_t Of(uint64_t bytes) const { return bytes - std::min(bytes, before_); }  // fewer once the connection is reset

 private:
  uint64_t before_ = 0, last_ = 0;  // at the look before the last, at the last
  absl::Time next_ = absl::InfinitePast();
};

struct Connection {
  // True while the descriptor still belongs to this connection.
  bool Lasts() const;

  // Ends the connection at once, dropping unread and unsent bytes, and tells the peer. False if the connection has
  // ended already.
  bool Reset() const;

  Traffic traffic() const;  // zeros if the connection has ended

  size_t shard = 0;
  int socket = -1;
  uint64_t cookie = 0;
  uint64_t number = 0;  // counts connections: one more than the connection before
  std::string host;
  HeaderTime header_time;
  SentOfLate sent;
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
};

class ConnectionTable {
 public:
  explicit ConnectionTable(size_t shards) : of_shards_(shards) {}

  size_t size() const { return connections_.size(); }
  size_t OfHost(const std::string& host) const;
  const std::vector<size_t>& of_shards() const { return of_shards_; }  // connections of each

  // Null if the peer has no connection.
  const Connection* Find(const std::string& peer) const;

  // Adds a connection of the shard.
  void Add(const std::string& peer, int socket, size_t shard);

  // The peers of the connections that brought most of late, the greatest first: at most `most`, each with 64 KB or
  // more.
  std::vector<std::string> GreatestSenders(size_t most) const;

  // Looks at the next `most` connections: forgets the ended ones, and shows the living ones to `look`. Successive calls
  // go round all connections: no call takes long.
  void RemoveEnded(size_t most, absl::FunctionRef<void(const std::string& peer, Connection&)> look);

 private:
  void Remove(const std::string& peer);

  uint64_t last_number_ = 0;
  uint64_t last_looked_at_ = 0;                               // number of the last connection that RemoveEnded saw
  absl::flat_hash_map<std::string, Connection> connections_;  // by peer
  std::map<uint64_t, std::string> peers_;                     // by number
  absl::flat_hash_map<std::string, size_t> of_hosts_;
  std::vector<size_t> of_shards_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_CONNECTION_TABLE_H_
