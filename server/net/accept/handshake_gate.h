#ifndef AAREN_SERVER_NET_ACCEPT_HANDSHAKE_GATE_H_
#define AAREN_SERVER_NET_ACCEPT_HANDSHAKE_GATE_H_

// A HandshakeGate keeps new connections from gRPC until their clients have said something, and lets hosts through in
// turn. A silent client costs a file descriptor, and no more.
//
// With TLS the gate rests after each connection. The server signs in answer to a client's hello, on a shard's thread,
// for up to a millisecond; a client sends thousands of hellos a second at no cost. Hence a shard gets a thousand
// connections a second, and five hundred while shards have other work.
//
// Threading: not thread-safe.

#include <sys/epoll.h>

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace aaren::accept {

class HandshakeGate {
 public:
  struct Options {
    bool tls = false;
    int shards = 1;
    absl::Duration within = absl::InfiniteDuration();  // the first words must come
  };
  using Take = std::function<void(int socket)>;

  // `poll`: the epoll descriptor that watches the held sockets; the descriptor outlives the gate.
  HandshakeGate(const Options& options, int poll) : options_(options), poll_(poll) {}
  ~HandshakeGate();  // closes the held sockets

  // Holds a nonblocking socket and owns it until Advance calls `take` with the socket, or the gate closes.
  void Hold(int socket, std::string host, Take take, absl::Time now);

  // Looks at what has happened on a socket. False if the gate does not hold the socket.
  bool Look(const epoll_event& event);

  // Lets the next connections through. `busy`: shards have other work.
  void Advance(absl::Time now, bool busy);

  // Closes connections whose first words have not come in time. A client that spoke may wait for longer.
  void CloseSilent(absl::Time now);

  // True if Advance must be called in a moment, though nothing happens on a socket.
  bool waiting() const { return !line_.empty(); }

 private:
  struct Held {
    int socket;
    std::string host;
    Take take;
    absl::Time since;
    bool spoke = false;
  };
  using Line = std::list<Held>;

  Held Remove(int socket);
  void Close(int socket);

  const Options options_;
  const int poll_;
  Line silent_;                                    // in order of arrival
  std::map<std::string, Line> line_;               // by host: who spoke; no host without any
  absl::flat_hash_map<int, Line::iterator> held_;  // by socket: all
  std::string last_host_;                          // whose turn was last
  absl::Time rests_until_ = absl::InfinitePast();
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_HANDSHAKE_GATE_H_
