// aaren-server: serves the models of a folder until SIGTERM or SIGINT. README.md tells its settings.
//
// Standard output carries one line, `ready listen=HOST:PORT metrics=HOST:PORT`, once it serves; the log goes to
// standard error. Exit status: 0 after a shutdown in good order, 1 if it could not start, 2 for bad settings.

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "server/config/config.h"
#include "server/log/log.h"
#include "server/metrics/exposition.h"
#include "server/metrics/process_metrics.h"
#include "server/metrics/shard_metrics.h"
#include "server/rpc/server.h"
#include "server/session/model_table.h"
#include "server/store/memory_store.h"
#include "server/version.h"

namespace aaren {
namespace {

using config::ServerConfig;

// Waits for SIGTERM and SIGINT on a thread of its own: the first asks for a shutdown, a second ends the process at
// once. Never destroyed. REQUIRES: made before any other thread, so that all of them leave these signals to it.
class ShutdownSignal {
 public:
  ShutdownSignal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([this, signals] {
      int signal = 0;
      sigwait(&signals, &signal);
      Log(LogLevel::kInfo, "shutting down", {{"signal", strsignal(signal)}});
      asked_.Notify();
      sigwait(&signals, &signal);
      _exit(128 + signal);
    }).detach();
  }

  void Wait() { asked_.WaitForNotification(); }

 private:
  absl::Notification asked_;
};

int Fail(int exit_status, const absl::Status& status) {
  std::fprintf(stderr, "aaren-server: %s\n", std::string(status.message()).c_str());
  return exit_status;
}

int ShardCount(const ServerConfig& config) {
  return config.shards() > 0 ? static_cast<int>(config.shards())
                             : std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

rpc::ServerOptions ToOptions(const ServerConfig& config) {
  rpc::ServerOptions options;
  options.listen = config.listen();
  options.shards = ShardCount(config);
  options.message_bytes = config.message_bytes();
  options.memory_bytes = config.buffer_bytes();
  const auto shards = static_cast<uint64_t>(options.shards);
  options.shard.capacity_rows = (config.max_rows() + shards - 1) / shards;
  options.shard.max_channels = config.max_channels();
  options.shard.max_tokens_per_item = config.tokens_per_item();
  options.shard.max_in_flight_tokens = config.in_flight_tokens();
  options.shard.max_sessions_per_stream = config.max_sessions_per_stream();
  options.shard.save_interval = config::ToDuration(config.save_interval());
  options.shard.session_ttl = config::ToDuration(config.session_ttl());
  return options;
}

// What this build has; later ones may have more.
absl::Status CheckBuild(const ServerConfig& config) {
  if (config.device() == ServerConfig::CUDA) {
    return absl::InvalidArgumentError("device: this build has no CUDA backend; there is cpu");
  }
  if (config.store() != ServerConfig::MEMORY) {
    return absl::InvalidArgumentError(absl::StrCat("store: this build has no ",
                                                   absl::AsciiStrToLower(ServerConfig::Store_Name(config.store())),
                                                   "; there is memory"));
  }
  return absl::OkStatus();
}

// The folder of the bundled models: beside an installed program, or in the source tree around build/PRESET/bin.
absl::StatusOr<std::string> BundledModels() {
  std::error_code error;
  const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"../share/aaren/models", "../../../model/bundled"}) {
    const std::filesystem::path folder = (bin / place).lexically_normal();
    if (std::filesystem::is_directory(folder, error)) return folder.string();
  }
  return absl::NotFoundError(absl::StrCat("no bundled models near ", bin.string(), "; give --models=DIR"));
}

absl::Status LoadModels(const ServerConfig& config, ModelTable& models) {
  std::string folder = config.models();
  if (folder.empty()) {
    absl::StatusOr<std::string> bundled = BundledModels();
    if (!bundled.ok()) return bundled.status();
    folder = *std::move(bundled);
  }
  if (absl::Status status = models.LoadFolder(folder); !status.ok()) return status;
  if (!config.default_model().empty()) {
    if (absl::Status status = models.SetDefault(config.default_model()); !status.ok()) return status;
  }
  for (const auto& model : models.models()) {
    Log(LogLevel::kInfo, "model loaded", {{"model", model->id}, {"digest", model->package.digest}});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<metrics::Exposition>> StartMetrics(const ServerConfig& config,
                                                                  const rpc::Server& server) {
  if (config.metrics_listen().empty()) return nullptr;
  return metrics::Exposition::Start(config.metrics_listen(), {std::make_shared<metrics::ShardMetrics>(
                                                                  server.shard_counters(), server.stream_counters()),
                                                              std::make_shared<metrics::ProcessMetrics>()});
}

int Serve(const ServerConfig& config) {
  if (absl::Status status = CheckBuild(config); !status.ok()) return Fail(2, status);
  SetUpLog(config.log_format() == ServerConfig::JSON ? LogFormat::kJson : LogFormat::kText,
           static_cast<LogLevel>(config.log_level()));
  ShutdownSignal& shutdown = *new ShutdownSignal;
  ModelTable models;
  if (absl::Status status = LoadModels(config, models); !status.ok()) return Fail(1, status);
  MemoryStore store;
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(ToOptions(config), models, store);
  if (!server.ok()) return Fail(1, server.status());
  const auto metrics = StartMetrics(config, **server);
  if (!metrics.ok()) return Fail(1, metrics.status());
  const std::string metrics_address = *metrics == nullptr ? "none" : (*metrics)->address();
  std::printf("ready listen=%s metrics=%s\n", (*server)->address().c_str(), metrics_address.c_str());
  std::fflush(stdout);
  Log(LogLevel::kInfo, "serving",
      {{"listen", (*server)->address()}, {"metrics", metrics_address}, {"shards", absl::StrCat(ShardCount(config))}});
  shutdown.Wait();
  (*server)->Shutdown(config::ToDuration(config.grace()));
  Log(LogLevel::kInfo, "shut down");
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  const absl::StatusOr<config::CommandLine> line = config::ParseCommandLine(arguments);
  if (!line.ok()) return Fail(2, line.status());
  if (line->help) {
    std::printf("aaren-server [--config=FILE] [--NAME=VALUE ...] [--print_config] [--version]\n\n%s",
                config::SettingsHelp().c_str());
  } else if (line->version) {
    std::printf("aaren-server %s\n", kVersion);
  } else if (line->print_config) {
    std::printf("%s", config::PrintConfig(line->config).c_str());
  } else {
    return Serve(line->config);
  }
  return 0;
}

}  // namespace
}  // namespace aaren

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  return aaren::Main(std::vector<std::string>(argv + 1, argv + argc));
}
