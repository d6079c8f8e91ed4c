// aaren-server: serves the models of a folder until SIGTERM or SIGINT. SETTINGS.md has the settings.
//
// Standard output carries one line once the server serves, `ready listen=HOST:PORT metrics=HOST:PORT`, with
// `admin=ADDRESS` behind it if set; the log goes to standard error. Exit status: 0 after a shutdown in good order, 1 if
// the server could not start or not save every session, 2 for bad settings.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "grpc/grpc.h"
#include "model/command_line/standard_streams.h"
#include "server/machine/cores/background.h"
#include "server/machine/memory/memory_budget.h"
#include "server/net/rpc/grpc_log.h"
#include "server/net/rpc/server.h"
#include "server/operate/log/log.h"
#include "server/program/check_settings.h"
#include "server/program/config/config.h"
#include "server/program/load_models.h"
#include "server/program/operator_addresses.h"
#include "server/program/process_limits.h"
#include "server/program/security.h"
#include "server/program/server_options.h"
#include "server/program/shutdown_signal.h"
#include "server/program/tracing.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/unnamed_sessions.h"
#include "server/sessions/session/clock.h"
#include "server/store/measured_store.h"
#include "server/store/open_store.h"

namespace aaren::program {
namespace {

using config::ServerConfig;

constexpr absl::Duration kAdminPatience = absl::Milliseconds(500);  // an answer on its way needs no longer

int Fail(int exit_status, const absl::Status& status) {
  std::fprintf(stderr, "aaren-server: %s\n", std::string(status.message()).c_str());
  return exit_status;
}

void TellReady(const ServerConfig& config, const rpc::ServerOptions& options, absl::string_view store,
               const rpc::Server& server, const OperatorAddresses& operators) {
  const std::string admin = operators.admin().empty() ? "" : absl::StrCat(" admin=", operators.admin());
  std::printf("ready listen=%s metrics=%s%s\n", server.address().c_str(), operators.metrics().c_str(), admin.c_str());
  std::fflush(stdout);
  log::Log(log::LogLevel::kInfo, "serving",
           {{"listen", server.address()},
            {"metrics", operators.metrics()},
            {"shards", absl::StrCat(ShardCount(config))},
            {"store", std::string(store)},
            {"memory", absl::StrCat(MemoryOf(config))},
            {"connections", absl::StrCat(options.max_connections)}});
}

// Null if the settings keep unnamed sessions. `sessions` outlive the result.
std::unique_ptr<registrar::UnnamedSessions> EndUnnamed(const ServerConfig& config, registrar::Sessions& sessions) {
  const absl::Duration ttl = config::ToDuration(config.unnamed_ttl());
  if (ttl <= absl::ZeroDuration()) return nullptr;
  auto unnamed = std::make_unique<registrar::UnnamedSessions>(sessions, ttl);
  unnamed->Start();
  return unnamed;
}

// Saves sessions until the grace period ends. With sessions still unsaved then, the process ends.
void Leave(absl::Time end, rpc::Server& server, Tracing* tracing) {
  const session::Clock& clock = session::Clock::System();
  if (!server.Shutdown(end - clock.Now())) {
    log::Log(log::LogLevel::kError, "the grace period is over: what is not saved is lost");
    _exit(1);
  }
  if (tracing != nullptr) tracing->Stop(end - clock.Now());
}

int Salvage(const ServerConfig& config) {
  const absl::StatusOr<bool> all =
      store::SalvageStore(config, [](const std::string& line) { std::printf("%s\n", line.c_str()); });
  if (!all.ok()) return Fail(1, all.status());
  return *all ? 0 : 1;
}

int Serve(const ServerConfig& config) {
  if (absl::Status status = CheckSettings(config); !status.ok()) return Fail(2, status);
  if (absl::Status status = CheckOpenFiles(); !status.ok()) return Fail(1, status);
  std::optional<StartGuard> starting(std::in_place);
  rpc::RouteGrpcLog();
  log::SetUpLog(config.log_format() == ServerConfig::JSON ? log::LogFormat::kJson : log::LogFormat::kText,
                static_cast<log::LogLevel>(config.log_level()));
  // A salvage needs neither gRPC nor a model.
  if (!config.salvage().empty()) return Salvage(config);
  // Made before any other thread, since new threads inherit the blocked signals.
  ShutdownSignal& shutdown = *new ShutdownSignal(config::ToDuration(config.grace()));
  grpc_init();
  const absl::Cleanup grpc_ends_last = &grpc_shutdown;  // it may wait ten seconds for gRPC's own poller
  models::ModelTable models;
  const absl::StatusOr<std::unique_ptr<models::ModelWatch>> watch = LoadModels(config, models);
  if (!watch.ok()) return Fail(1, watch.status());
  const uint64_t memory = MemoryOf(config);
  memory::MemoryBudget budget(SessionMemory(memory));
  absl::StatusOr<std::unique_ptr<store::StateStore>> opened = store::OpenStore(config, memory, budget);
  if (!opened.ok()) return Fail(absl::IsInvalidArgument(opened.status()) ? 2 : 1, opened.status());
  store::MeasuredStore store(*std::move(opened));
  rpc::ServerOptions options = ToServerOptions(config, memory, budget);
  const absl::StatusOr<Security> security = OpenSecurity(config);
  if (!security.ok()) return Fail(2, security.status());
  options.credentials = security->credentials;
  options.tls = !config.tls_cert().empty();
  options.callers = security->callers.get();
  const absl::StatusOr<std::unique_ptr<Tracing>> tracing = Tracing::Open(config);
  if (!tracing.ok()) return Fail(2, tracing.status());
  if (*tracing != nullptr) (*tracing)->SetUp(options);
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(options, models, store);
  if (!server.ok()) return Fail(1, server.status());
  if (*tracing != nullptr) (*tracing)->Start((*server)->port());
  absl::StatusOr<OperatorAddresses> operators =
      OperatorAddresses::Start({config, options, *security, store, **server, models, tracing->get()});
  if (!operators.ok()) return Fail(1, operators.status());
  std::unique_ptr<registrar::UnnamedSessions> unnamed = EndUnnamed(config, (*server)->sessions());
  absl::Notification admin_ended;
  cores::Background admin_ending;
  starting.reset();
  TellReady(config, options, store.name(), **server, *operators);
  shutdown.Wait();
  // No sweep begins on a server that leaves.
  unnamed.reset();
  const absl::Duration grace = config::ToDuration(config.grace());
  const absl::Time end = session::Clock::System().Now() + grace;
  // An operator who takes no answers would hold the end up, and sessions have to be saved.
  admin_ending.Post([&] {
    operators->StopAdmin();
    admin_ended.Notify();
  });
  // A twentieth of the grace at most: the rest is for saves.
  admin_ended.WaitForNotificationWithTimeout(std::min(kAdminPatience, grace / 20));
  Leave(end, **server, tracing->get());
  shutdown.Done();
  log::Log(log::LogLevel::kInfo, "shut down");
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  const absl::StatusOr<config::CommandLine> line = config::ParseCommandLine(arguments);
  if (!line.ok()) return Fail(2, line.status());
  if (!line->answer.empty()) {
    std::printf("%s", line->answer.c_str());
  } else if (line->print_config) {
    const absl::StatusOr<std::string> callers = DescribeCallers(line->config);
    if (!callers.ok()) return Fail(2, callers.status());
    std::printf("%s%s", config::PrintConfig(line->config).c_str(), callers->c_str());
  } else {
    return Serve(line->config);
  }
  if (std::fflush(stdout) == 0) return 0;
  return Fail(1, absl::ErrnoToStatus(errno, "cannot write to standard output"));
}

}  // namespace
}  // namespace aaren::program

int main(int argc, char** argv) {
  aaren::command_line::HoldStandardStreams();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow (ulimit -f) fails to be written, and the store tells
  return aaren::program::Main(std::vector<std::string>(argv + 1, argv + argc));
}
