#ifndef AAREN_TESTS_SERVER_NET_RPC_SERVING_SERVING_H_
#define AAREN_TESTS_SERVER_NET_RPC_SERVING_SERVING_H_

// Serving is the base of tests with a real server over loopback. The server has a model "sum", whose replies tell the
// folded tokens, the memory store, and a port of the system's choice.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "grpcpp/channel.h"
#include "server/net/rpc/server.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/session/clock.h"
#include "server/store/memory_store.h"
#include "tests/server/net/rpc/serving/sum_engine.h"
#include "tests/server/net/rpc/serving/test_stream.h"

namespace aaren::rpc {

class Serving : public testing::Test {
 public:
  // Waits until `holds` is true at most a minute.
  static bool Eventually(const std::function<bool()>& holds);

 protected:
  Serving();

  // Options of a server that saves nothing for an hour: no Acked of a save comes between replies, however slow the
  // machine is.
  static rpc::ServerOptions Options();

  // Starts the server, or a new server in place of the old. `clock` outlives the server.
  void Start(const rpc::ServerOptions& options, const session::Clock& clock = session::Clock::System());

  rpc::Server& server() { return *server_; }

  // A channel with a connection of its own: channels of one process otherwise share connections.
  std::shared_ptr<grpc::Channel> NewChannel() const;

  models::ModelTable models_;
  store::MemoryStore store_;
  std::unique_ptr<rpc::Server> server_;
};

}  // namespace aaren::rpc

#endif  // AAREN_TESTS_SERVER_NET_RPC_SERVING_SERVING_H_
