#ifndef AAREN_SERVER_ACCEPT_CONNECTION_TABLE_H_
#define AAREN_SERVER_ACCEPT_CONNECTION_TABLE_H_

// A ConnectionTable knows every open connection by its peer's name, its shard, and how many connections each host has.
//
// gRPC owns the sockets and closes them at any time. So the table knows a connection by its descriptor and by its
// cookie, the kernel's own number of a socket, which no other socket ever has.
//
// Threading: none of its own.

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

// Packets and bytes with data that have come on a connection.
struct Traffic {
  uint64_t packets = 0, bytes = 0;
};

// HeaderTime tells a header that never ends. While gRPC waits for the end of a header, nothing else of the connection
// is handled, and each further packet costs a copy of all that came before (CVE-2023-33953). A large message that comes
// slowly has full packets; a client that sends many small messages has some handled.
class HeaderTime {
 public:
  static constexpr absl::Duration kLongest = absl::Seconds(10);
  static constexpr uint64_t kPackets = 100;    // a second
  static constexpr uint64_t kSmall = 256;      // bytes of a packet, on average
  static constexpr uint64_t kBytes = 8 << 20;  // beside two messages

  // `heard_ns` as Heard has it. True once the client has sent for kLongest, with nothing handled, kPackets a second
  // of less than kSmall bytes, or more than two of the largest messages and kBytes. Call it every second or two.
  bool IsOver(const Traffic& traffic, int64_t heard_ns, uint64_t message_bytes, absl::Time now);

 private:
  absl::Time since_ = absl::InfinitePast();  // the last look at which something had been handled
  Traffic before_;                           // at that look
  int64_t heard_ns_ = -1;
};

// How much a client has sent within the last two to four seconds. A plain value.
class SentOfLate {
 public:
  // `bytes` have come so far. Call it every second or so.
  void Look(uint64_t bytes, absl::Time now);

  uint64_t Of(uint64_t bytes) const { return bytes - std::min(bytes, before_); }  // fewer once the connection is reset

 private:
  uint64_t before_ = 0, last_ = 0;  // at the look before the last, at the last
  absl::Time next_ = absl::InfinitePast();
};

struct Connection {
  // True while the descriptor is still this connection's.
  bool Lasts() const;

  // Ends the connection at once, if it lasts: what waits on either side is dropped, and the peer is told. False if the
  // connection has ended already.
  bool Reset() const;

  Traffic traffic() const;  // zeros if it has ended

  size_t shard = 0;
  int socket = -1;
  uint64_t cookie = 0;
  uint64_t number = 0;  // one more than the connection before
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

  // Null if there is none.
  const Connection* Find(const std::string& peer) const;

  // Adds a connection of this shard.
  void Add(const std::string& peer, int socket, size_t shard);

  // The peers of connections that brought most of late, the greatest first: `most` of those with 64 KB or more.
  std::vector<std::string> GreatestSenders(size_t most) const;

  // Forgets those that have ended among the next `most`, and shows the others. Successive calls go round all
  // connections, so that no call takes long.
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
