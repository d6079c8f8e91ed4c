#ifndef AAREN_SERVER_NET_ACCEPT_HANDSHAKE_GATE_H_
#define AAREN_SERVER_NET_ACCEPT_HANDSHAKE_GATE_H_

// A HandshakeGate keeps new connections from gRPC until their clients have said something. A silent client costs a file
// descriptor, and no more.
//
// With TLS the gate lets connections through a few at a time, hosts in turn. The server signs in answer to a client's
// hello, on a shard's thread, for up to a millisecond; a client sends thousands of hellos a second at no cost. Hence
// two handshakes are under way for each shard, and while shards have other work the gate rests after each handshake: no
// shard signs more than five hundred times a second.
//
// Threading: not thread-safe.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace aaren::accept {

class HandshakeGate {
 public:
  struct Options {
    bool tls = false;
    size_t shards = 1;
    absl::Duration within = absl::InfiniteDuration();  // the first words must come
  };
  using Take = std::function<void(int socket)>;

  // `poll`: the epoll descriptor that watches the held sockets; the descriptor outlives the gate.
  HandshakeGate(const Options& options, int poll) : options_(options), poll_(poll) {}
  ~HandshakeGate();  // closes the held sockets

  // Holds a nonblocking socket and owns it until `take` is called with the socket, maybe at once, or the gate
  // closes.
  void Hold(int socket, std::string host, Take take, absl::Time now);

  // Looks at what has come on the socket. False if the gate does not hold the socket.
  bool Look(int socket);

  // Lets the next connections through. `busy`: shards have other work.
  void Advance(absl::Time now, bool busy);

  // Closes connections whose first words have not come in time. A client that spoke may wait for longer.
  void CloseSilent(absl::Time now);

  // True if Advance must be called in a moment, though nothing happens on a socket.
  bool waiting() const { return !line_.empty(); }

 private:
  struct Held {
    uint64_t cookie;
    std::string host;
    Take take;
    bool spoke = false;
  };
  struct Moment {  // of a connection
    int socket;
    uint64_t cookie;
    absl::Time at;
  };

  std::optional<Moment> Next(absl::Time now);
  void LetThrough(int socket);
  void Close(int socket);

  const Options options_;
  const int poll_;
  absl::flat_hash_map<int, Held> held_;                               // by socket
  std::deque<Moment> arrivals_;                                       // those who must speak; some have gone
  std::map<std::string, std::deque<std::pair<int, uint64_t>>> line_;  // by host: who spoke; some have gone
  std::string last_host_;                                             // whose turn was last
  std::vector<Moment> begun_;                                         // handshakes
  absl::Time rests_until_ = absl::InfinitePast();
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_HANDSHAKE_GATE_H_
