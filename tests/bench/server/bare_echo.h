#ifndef AAREN_TESTS_BENCH_SERVER_BARE_ECHO_H_
#define AAREN_TESTS_BENCH_SERVER_BARE_ECHO_H_

// A BareEcho shows the cost of gRPC alone: a server, a completion queue, a thread. The echo drains the queue, answers
// every Tokens item with a Forecasts item of `values_per_token` numbers a token, and writes a merged message per
// touched stream. The echo checks and remembers nothing: a roof for the real server.

#include <memory>
#include <string>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "grpcpp/grpcpp.h"

namespace aaren::bench {

class BareEcho {
 public:
  explicit BareEcho(size_t values_per_token);

  int port() const { return port_; }  // 0 if the echo cannot listen

 private:
  class Stream;

  void Loop();
  void Accept();

  const size_t values_per_token_;
  v1::Streaming::AsyncService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  std::vector<Stream*> touched_;
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_SERVER_BARE_ECHO_H_
