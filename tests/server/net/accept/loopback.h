#ifndef AAREN_TESTS_SERVER_NET_ACCEPT_LOOPBACK_H_
#define AAREN_TESTS_SERVER_NET_ACCEPT_LOOPBACK_H_

// A connection over loopback: the server's end, and the peer's.

#include <cstddef>

namespace aaren::accept {

class Loopback {
 public:
  Loopback();
  ~Loopback();
  Loopback(const Loopback&) = delete;

  void Send(size_t bytes) const;  // by the peer; REQUIRES: room for the bytes
  void Read(size_t bytes) const;  // by the server; waits for the bytes
  bool Waits() const;             // something, to be read by the server

  // True if something comes within a minute.
  bool Comes() const;

  int own() const { return own_; }
  int peer() const { return peer_; }

 private:
  const int peer_;
  int own_ = -1;
};

}  // namespace aaren::accept

#endif  // AAREN_TESTS_SERVER_NET_ACCEPT_LOOPBACK_H_
