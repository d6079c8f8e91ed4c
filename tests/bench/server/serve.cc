// aaren-bench-server KIND [SHARDS]: the server process of benches (served.h lists the kinds).

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "server/net/rpc/server.h"
#include "server/sessions/models/model_watch.h"
#include "server/store/memory_store.h"
#include "tests/bench/server/bare_echo.h"
#include "tests/bench/server/echo_engine.h"

namespace aaren::bench {
namespace {

// Forecasts of the bundled model's size.
package::ForecasterConfig WideConfig() {
  package::ForecasterConfig config = EchoConfig();
  config.horizon = 48;
  return config;
}

void WaitForEndOfInput() {
  while (std::getchar() != EOF) {
  }
}

void SayReady(const std::string& address, size_t row_bytes) {
  std::printf("ready %s %zu\n", address.c_str(), row_bytes);
  std::fflush(stdout);
}

[[noreturn]] void ServeBare() {
  const package::ForecasterConfig config = EchoConfig();
  const auto* echo = new BareEcho(static_cast<size_t>(config.horizon) * config.quantiles.size());
  if (echo->port() == 0) std::_Exit(1);
  SayReady(absl::StrCat("127.0.0.1:", echo->port()), 0);
  WaitForEndOfInput();
  std::_Exit(0);  // the echo's thread is still at work
}

absl::Status AddModels(const std::string& kind, models::ModelTable& models) {
  if (kind == "bundled") return models::ModelWatch(models, AAREN_BUNDLED_MODELS).Load();
  if (kind != "echo" && kind != "wide")
    return absl::InvalidArgumentError(absl::StrCat("no server is called '", kind, "'"));
  package::ModelPackage package;
  package.name = kind;
  package.config = kind == "wide" ? WideConfig() : EchoConfig();
  auto engine = NewEchoEngine(package.config);
  return models.Add(std::move(package), std::move(engine));
}

// Nothing is saved: the memory is the sessions' alone.
absl::Status ServeReal(const std::string& kind, int shards) {
  models::ModelTable models;
  if (absl::Status status = AddModels(kind, models); !status.ok()) return status;
  store::MemoryStore store;
  rpc::ServerOptions options;
  options.shards = shards;
  options.shard.save_interval = absl::ZeroDuration();
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(options, models, store);
  if (!server.ok()) return server.status();
  SayReady((*server)->address(), models.default_model()->engine->row_bytes());
  WaitForEndOfInput();
  return absl::OkStatus();
}

// Prints "ready ADDRESS ROW_BYTES", serves until standard input ends. Returns the exit status.
int Serve(const std::string& kind, int shards) {
  if (kind == "bare") ServeBare();
  const absl::Status status = ServeReal(kind, shards);
  if (status.ok()) return 0;
  std::fprintf(stderr, "aaren-bench-server %s: %s\n", kind.c_str(), status.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace aaren::bench

int main(int argc, char** argv) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return aaren::bench::Serve(argc >= 2 ? argv[1] : "", argc >= 3 ? std::max(std::atoi(argv[2]), 1) : 1);
}
