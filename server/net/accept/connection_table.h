#ifndef AAREN_SERVER_NET_ACCEPT_CONNECTION_TABLE_H_
#define AAREN_SERVER_NET_ACCEPT_CONNECTION_TABLE_H_

// A ConnectionTable has every open connection, and counts connections by shard and by host. gRPC owns the sockets and
// closes them at any time (machine/socket/foreign_socket.h).
// Threading: not thread-safe.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "server/machine/socket/foreign_socket.h"

namespace aaren::accept {

// HeaderTime detects a header that never ends. While gRPC waits for the end of a header, nothing else of the connection
// is handled or answered, and each further packet costs a copy of all packets before (CVE-2023-33953). Other clients
// get answers: tokens by forecasts or Acked, a call by a status, data of a message by room for more.
class HeaderTime {
 public:
  // True once half a minute has brought a hundred packets a second and no answer: more than HTTP/2 allows a client to
  // send without an answer. Call IsOver every second or two.
  bool IsOver(const sockets::Traffic& traffic, absl::Time now);

 private:
  absl::Time since_ = absl::InfinitePast();  // the last look that found an answer
  sockets::Traffic before_;                  // the traffic at that look
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
  sockets::ForeignSocket socket;
  size_t shard = 0;
  std::string host;
  HeaderTime header_time = {};
  SentOfLate sent = {};
};

class ConnectionTable {
 public:
  explicit ConnectionTable(size_t shards) : of_shards_(shards) {}

  size_t size() const { return connections_.size(); }
  size_t OfHost(const std::string& host) const;
  const std::vector<size_t>& of_shards() const { return of_shards_; }  // connections of each

  // Adds a connection of the shard.
  void Add(int socket, const std::string& host, size_t shard);

  // The connections that brought most of late, the greatest first: at most `most`, each with 64 KB or more, and with an
  // eighth of the greatest or more.
  std::vector<const Connection*> GreatestSenders(size_t most) const;

  // Looks at the next `most` connections: forgets the ended ones, and shows the living ones to `look`. Successive calls
  // go round all connections: no call takes long.
  void RemoveEnded(size_t most, absl::FunctionRef<void(Connection&)> look);

 private:
  uint64_t last_number_ = 0;
  uint64_t last_looked_at_ = 0;                 // number of the last connection that RemoveEnded saw
  std::map<uint64_t, Connection> connections_;  // by number, in order of arrival
  absl::flat_hash_map<std::string, size_t> of_hosts_;
  std::vector<size_t> of_shards_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_CONNECTION_TABLE_H_
