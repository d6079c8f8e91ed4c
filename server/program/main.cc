// aaren-server: serves the models of a folder until SIGTERM or SIGINT. README.md tells its settings.
//
// Standard output carries one line, `ready listen=HOST:PORT metrics=HOST:PORT`, once it serves, with ` admin=ADDRESS`
// where there is one; the log goes to standard error. Exit status: 0 after a shutdown in good order, 1 if it could not start, 2 for bad settings.

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "model/command_line/standard_streams.h"
#include "server/admin/admin_server.h"
#include "server/config/config.h"
#include "server/identity/callers.h"
#include "server/log/log.h"
#include "server/memory/memory_budget.h"
#include "server/metrics/connection_metrics.h"
#include "server/metrics/exposition.h"
#include "server/metrics/model_metrics.h"
#include "server/metrics/process_metrics.h"
#include "server/metrics/shard_metrics.h"
#include "server/metrics/store_metrics.h"
#include "server/metrics/tenant_metrics.h"
#include "server/metrics/trace_metrics.h"
#include "server/models/model_table.h"
#include "server/program/check_settings.h"
#include "server/program/load_models.h"
#include "server/program/security.h"
#include "server/program/server_options.h"
#include "server/program/shutdown_signal.h"
#include "server/program/tracing.h"
#include "server/rpc/grpc_log.h"
#include "server/rpc/server.h"
#include "server/store/measured_store.h"
#include "server/store/open_store.h"

namespace aaren::program {
namespace {

using config::ServerConfig;

int Fail(int exit_status, const absl::Status& status) {
  std::fprintf(stderr, "aaren-server: %s\n", std::string(status.message()).c_str());
  return exit_status;
}

absl::StatusOr<std::unique_ptr<metrics::Exposition>> StartMetrics(
    const ServerConfig& config, const rpc::ServerOptions& options, const store::MeasuredStore& store,
    const rpc::Server& server, const models::ModelTable& models, const Tracing* tracing) {
  if (config.metrics_listen().empty()) return nullptr;
  std::vector<std::shared_ptr<prometheus::Collectable>> sources = {
      std::make_shared<metrics::ShardMetrics>(server.shard_counters(), server.stream_counters(), options,
                                              [&server] { return server.transit_bytes(); }),
      std::make_shared<metrics::ModelMetrics>(models),
      std::make_shared<metrics::ConnectionMetrics>(server.connection_counters()),
      std::make_shared<metrics::StoreMetrics>(store, server.store_health()),
      std::make_shared<metrics::ProcessMetrics>()};
  if (tracing != nullptr) {
    sources.push_back(std::make_shared<metrics::TraceMetrics>(server.trace_counters(), tracing->exporter()));
  }
  if (options.callers != nullptr) sources.push_back(std::make_shared<metrics::TenantMetrics>(*options.callers));
  return metrics::Exposition::Start(config.metrics_listen(), std::move(sources));
}

absl::StatusOr<std::unique_ptr<admin::AdminServer>> StartAdmin(const ServerConfig& config, const Security& security,
                                                               const rpc::Server& server,
                                                               const models::ModelTable& models) {
  if (config.admin_address().empty()) return nullptr;
  return admin::AdminServer::Start({.credentials = security.credentials, .callers = security.callers.get()}, config,
                                   server, models);
}

// The settings, and as a comment whom the list of callers lets in. A line of it that is wrong is told here, too; a list
// that is elsewhere, where the server will run, is none of this machine's business.
absl::StatusOr<std::string> PrintSettings(const ServerConfig& config) {
  std::string text = config::PrintConfig(config);
  if (!config.jwks().empty()) {
    const absl::Status keys = identity::KeySetFile::Open(config.jwks()).status();
    if (absl::IsInvalidArgument(keys)) return absl::InvalidArgumentError(absl::StrCat("jwks: ", keys.message()));
  }
  if (config.callers().empty()) return text;
  const absl::StatusOr<std::unique_ptr<identity::RosterFile>> roster = identity::RosterFile::Open(config.callers());
  if (absl::IsInvalidArgument(roster.status())) {
    return absl::InvalidArgumentError(absl::StrCat("callers: ", roster.status().message()));
  }
  absl::StrAppend(&text, roster.ok() ? (*roster)->Describe() : absl::StrCat("# ", roster.status().message(), "\n"));
  return text;
}

int Serve(const ServerConfig& config) {
  if (absl::Status status = CheckSettings(config); !status.ok()) return Fail(2, status);
  rpc::RouteGrpcLog();
  log::SetUpLog(config.log_format() == ServerConfig::JSON ? log::LogFormat::kJson : log::LogFormat::kText,
                static_cast<log::LogLevel>(config.log_level()));
  ShutdownSignal& shutdown = *new ShutdownSignal(config::ToDuration(config.grace()));
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
  options.callers = security->callers.get();
  const absl::StatusOr<std::unique_ptr<Tracing>> tracing = Tracing::Open(config);
  if (!tracing.ok()) return Fail(2, tracing.status());
  if (*tracing != nullptr) (*tracing)->SetUp(options);
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(options, models, store);
  if (!server.ok()) return Fail(1, server.status());
  if (*tracing != nullptr) (*tracing)->Start((*server)->port());
  const auto metrics = StartMetrics(config, options, store, **server, models, tracing->get());
  if (!metrics.ok()) return Fail(1, metrics.status());
  const std::string metrics_address = *metrics == nullptr ? "none" : (*metrics)->address();
  const auto admin = StartAdmin(config, *security, **server, models);
  if (!admin.ok()) return Fail(1, admin.status());
  const std::string admin_address = *admin == nullptr ? "" : absl::StrCat(" admin=", (*admin)->address());
  std::printf("ready listen=%s metrics=%s%s\n", (*server)->address().c_str(), metrics_address.c_str(),
              admin_address.c_str());
  std::fflush(stdout);
  log::Log(log::LogLevel::kInfo, "serving",
           {{"listen", (*server)->address()},
            {"metrics", metrics_address},
            {"shards", absl::StrCat(ShardCount(config))},
            {"store", store.name()},
            {"memory", absl::StrCat(memory)},
            {"connections", absl::StrCat(options.max_connections)}});
  shutdown.Wait();
  if (*admin != nullptr) (*admin)->Stop();  // it asks shards, which leave now
  const absl::Time end = absl::Now() + config::ToDuration(config.grace());
  const bool all_saved = (*server)->Shutdown(config::ToDuration(config.grace()));
  if (!all_saved) {
    log::Log(log::LogLevel::kError, "the grace period is over: what is not saved is lost");
    _exit(1);
  }
  if (*tracing != nullptr) (*tracing)->Stop(end - absl::Now());
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
    const absl::StatusOr<std::string> settings = PrintSettings(line->config);
    if (!settings.ok()) return Fail(2, settings.status());
    std::printf("%s", settings->c_str());
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
  return aaren::program::Main(std::vector<std::string>(argv + 1, argv + argc));
}
