#ifndef AAREN_SERVER_ACCEPT_HANDSHAKE_GATE_H_
#define AAREN_SERVER_ACCEPT_HANDSHAKE_GATE_H_

// A HandshakeGate keeps new connections from gRPC until their clients have said something: who says nothing costs a
// descriptor, and no more.
//
// With TLS that is the whole ClientHello, and the gate lets them through a few at a time, host by host. The server
// signs in answer, on a shard's thread, for up to a millisecond; a client sends thousands of hellos a second at no
// cost, even the same one again and again. So two are under way for each shard, and while shards have other work the
// gate rests after each, so that none signs more than five hundred times a second.
//
// Threading: none of its own.

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

  // `poll`: the epoll descriptor that watches the sockets which are held here; it outlives this.
  HandshakeGate(const Options& options, int poll);
  ~HandshakeGate();  // closes the sockets that it holds

  // A nonblocking socket, which this owns until `take` is called with it, maybe at once, or it is closed.
  void Hold(int socket, std::string host, Take take, absl::Time now);

  // Something has happened on this socket. False if it is not held here.
  bool Look(int socket);

  // Lets those through whose turn it is. `busy`: shards have other work.
  void Advance(absl::Time now, bool busy);

  // Closes those whose first words have not come in time. Whoever has spoken may wait for longer.
  void CloseSilent(absl::Time now);

  // Whether Advance must be called in a moment, though nothing happens on a socket.
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
  using ByNumber = std::map<uint64_t, Held>;  // in the order in which they came

  bool IsOver(const Begun& handshake, absl::Time now) const;
  void Hear(ByNumber::iterator held, absl::string_view words);
  void LetThrough(ByNumber::iterator held);
  void Close(ByNumber::iterator held);

  const Options options_;
  const int poll_;
  uint64_t last_number_ = 0;
  ByNumber held_;
  std::set<uint64_t> silent_;                   // of held_: whose first words have not come whole
  absl::flat_hash_map<int, uint64_t> numbers_;  // of held sockets
  HostLine line_;                               // of those whose hello has come
  std::vector<Begun> begun_;
  absl::Time rests_until_ = absl::InfinitePast();
  std::vector<char> bytes_;  // the first of one connection
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_HANDSHAKE_GATE_H_
