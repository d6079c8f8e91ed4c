#ifndef AAREN_SERVER_ACCEPT_HANDSHAKE_GATE_H_
#define AAREN_SERVER_ACCEPT_HANDSHAKE_GATE_H_

// A HandshakeGate keeps new connections from gRPC until their clients have said something. A silent client costs a file
// descriptor, and no more.
//
// With TLS a client must have sent the whole ClientHello, and the gate lets connections through a few at a time, host
// by host. The server signs in answer, on a shard's thread, for up to a millisecond; a client sends thousands of hellos
// a second at no cost, even the same hello again and again. Hence two handshakes are under way for each shard, and
// while shards have other work the gate rests after each handshake: no shard signs more than five hundred times a
// second.
//
// Threading: not thread-safe.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/accept/host_line.h"

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
  HandshakeGate(const Options& options, int poll);
  ~HandshakeGate();  // closes the held sockets

  // Holds a nonblocking socket and owns it until `take` is called with the socket, maybe at once, or the gate
  // closes.
  void Hold(int socket, std::string host, Take take, absl::Time now);

  // Reads what has come on the socket. False if the gate does not hold the socket.
  bool Look(int socket);

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
  };
  struct Begun {
    int socket;
    uint64_t cookie;
    absl::Time since;
  };
  using ByNumber = std::map<uint64_t, Held>;  // in the order of arrival

  bool IsOver(const Begun& handshake, absl::Time now) const;
  void Hear(ByNumber::iterator held, absl::string_view words);
  void LetThrough(ByNumber::iterator held);
  void Close(ByNumber::iterator held);

  const Options options_;
  const int poll_;
  uint64_t last_number_ = 0;
  ByNumber held_;
  std::set<uint64_t> silent_;                   // the numbers in held_ whose first words have not come whole
  absl::flat_hash_map<int, uint64_t> numbers_;  // numbers of the held sockets
  HostLine line_;                               // connections whose hello has come
  std::vector<Begun> begun_;
  absl::Time rests_until_ = absl::InfinitePast();
  std::vector<char> bytes_;  // the first bytes of one connection
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_HANDSHAKE_GATE_H_
