#ifndef AAREN_TESTS_SERVER_MACHINE_SOCKET_LOOPBACK_H_
#define AAREN_TESTS_SERVER_MACHINE_SOCKET_LOOPBACK_H_

// A connection over loopback: the server's end, and the peer's.

#include <cstddef>

namespace aaren::sockets {

class Loopback {
 public:
  Loopback();
  ~Loopback();
  Loopback(const Loopback&) = delete;

  void Send(size_t bytes) const;  // by the peer; REQUIRES: room for the bytes
  void Read(size_t bytes) const;  // by the server; waits for the bytes

  int own() const { return own_; }
  int peer() const { return peer_; }

 private:
  const int peer_;
  int own_ = -1;
};

}  // namespace aaren::sockets

#endif  // AAREN_TESTS_SERVER_MACHINE_SOCKET_LOOPBACK_H_
