#ifndef AAREN_TESTS_E2E_SOAK_CONNECTION_H_
#define AAREN_TESTS_E2E_SOAK_CONNECTION_H_

// A Connection is a TCP connection with a gRPC channel on it; Cut breaks the connection under the channel. Threading:
// any thread.

#include <memory>
#include <string>

#include "grpcpp/channel.h"

namespace aaren::soak {

class Connection {
 public:
  // Null if the server does not listen.
  static std::unique_ptr<Connection> Open(const std::string& address);
  ~Connection();

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  // Cuts the cable, with calls under way.
  void Cut();

 private:
  explicit Connection(int fd);

  const int fd_;  // a second descriptor of the channel's socket
  std::shared_ptr<grpc::Channel> channel_;
};

// Sends a request over plain TCP and returns the whole answer; empty without an answer.
std::string Ask(const std::string& address, const std::string& request);

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_CONNECTION_H_
