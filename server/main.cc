// aaren-server: serves the models of a folder until SIGTERM or SIGINT. README.md tells its settings.
//
// Standard output carries one line, `ready listen=HOST:PORT metrics=HOST:PORT`, once it serves; the log goes to
// standard error. Exit status: 0 after a shutdown in good order, 1 if it could not start, 2 for bad settings.

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "server/address/address.h"
#include "server/config/config.h"
#include "server/identity/roster_file.h"
#include "server/log/log.h"
#include "server/memory/machine_memory.h"
#include "server/memory/memory_budget.h"
#include "server/metrics/connection_metrics.h"
#include "server/metrics/exposition.h"
#include "server/metrics/process_metrics.h"
#include "server/metrics/shard_metrics.h"
#include "server/metrics/store_metrics.h"
#include "server/metrics/tenant_metrics.h"
#include "server/models/model_table.h"
#include "server/models/open_engine.h"
#include "server/rpc/grpc_log.h"
#include "server/rpc/server.h"
#include "server/session/clock.h"
#include "server/store/measured_store.h"
#include "server/store/open_store.h"
#include "server/tls/credentials.h"

namespace aaren {
namespace {

using config::ServerConfig;

// Waits for SIGTERM and SIGINT on a thread of its own: the first asks for a shutdown; a second, or the end of the grace
// period, ends the process at once. Never destroyed. REQUIRES: made before any other thread, so that all of them leave
// these signals to it.
class ShutdownSignal {
 public:
  explicit ShutdownSignal(absl::Duration grace) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([this, signals, grace] {
      int signal = 0;
      sigwait(&signals, &signal);
      log::Log(log::LogLevel::kInfo, "shutting down", {{"signal", strsignal(signal)}});
      asked_.Notify();
      signal = WaitFor(signals, std::max(grace, kLeastGrace));
      if (signal > 0) _exit(128 + signal);
      if (done_.HasBeenNotified()) _exit(0);  // all that is left is to give memory back
      log::Log(log::LogLevel::kError, "the grace period is over: what is not saved is lost");
      _exit(1);
    }).detach();
  }

  void Wait() { asked_.WaitForNotification(); }

  // Everything is saved and closed.
  void Done() { done_.Notify(); }

 private:
  static constexpr absl::Duration kLeastGrace = absl::Seconds(1);

  // The signal that came, or 0. A process that was stopped and goes on waits on.
  static int WaitFor(const sigset_t& signals, absl::Duration time) {
    const absl::Time deadline = session::Clock::System().Now() + time;
    for (;;) {
      const absl::Duration left = std::max(absl::ZeroDuration(), deadline - session::Clock::System().Now());
      const timespec timeout = absl::ToTimespec(left);
      const int signal = sigtimedwait(&signals, nullptr, &timeout);
      if (signal > 0) return signal;
      if (errno != EINTR) return 0;
    }
  }

  absl::Notification asked_, done_;
};

int Fail(int exit_status, const absl::Status& status) {
  std::fprintf(stderr, "aaren-server: %s\n", std::string(status.message()).c_str());
  return exit_status;
}

int ShardCount(const ServerConfig& config) {
  return config.shards() > 0 ? static_cast<int>(config.shards())
                             : std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

// Shares out the memory: an eighth for gRPC's buffers, an eighth for replies that clients have not read, tokens that
// wait and unary requests, and an eighth stays free for what is counted only about. The rest is for sessions.
uint64_t SessionMemory(uint64_t memory) { return memory / 8 * 5; }

// What of it rows may keep. The rest is for sessions that are not saved yet, and for what is known of all of them; with
// a store of memory, for their saves.
uint64_t ResidentBytes(const ServerConfig& config, uint64_t memory) {
  const uint64_t most = SessionMemory(memory) / 8 * (config.store() == ServerConfig::MEMORY ? 3 : 7);
  return config.max_resident_bytes() > 0 ? config.max_resident_bytes() : most;
}

void SetLimits(const ServerConfig& config, uint64_t memory, rpc::ServerOptions& options) {
  const auto shards = static_cast<uint64_t>(options.shards);
  const uint64_t part = memory / 8 / shards;
  const auto share = [](uint64_t total, uint64_t n) { return static_cast<size_t>((total + n - 1) / n); };
  options.memory_bytes = config.buffer_bytes() == 0 ? memory / 8 : std::min(config.buffer_bytes(), memory / 8);
  options.shard.max_queued_bytes = std::clamp<uint64_t>(part / 4, 1 << 20, 8 << 20);
  options.limits.unread_bytes = std::clamp<uint64_t>(part / 2, 1 << 20, 64 << 20);
  // Whatever the shares are, the largest message that is allowed finds room.
  const uint64_t message = config.message_bytes();
  options.limits.input_bytes = std::max<uint64_t>(4 * message, std::min<uint64_t>(part / 4, 64 << 20));
  options.limits.unary_bytes = std::max<uint64_t>(message, std::min<uint64_t>(part / 4, 16 << 20));
  options.transit_bytes = std::clamp<uint64_t>(memory / 64, 1 << 20, 64 << 20);
  options.limits.streams = share(config.max_streams(), shards);
  options.limits.unary_calls = options.limits.watches = share(config.max_unary_calls(), shards);
  options.limits.hello = options.connections.handshake = config::ToDuration(config.hello_timeout());
  options.limits.unread = config::ToDuration(config.unread_timeout());
  options.limits.unused = options.connections.idle = config::ToDuration(config.idle_timeout());
  options.connections.age = config::ToDuration(config.connection_age());
}

// Raises the limit of file descriptors as far as it goes. One a connection, and some for everything else.
size_t MostConnections(const ServerConfig& config) {
  constexpr rlim_t kOthers = 128 + store::RocksDbStore::kFiles;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return config.max_connections();
  files.rlim_cur = files.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) getrlimit(RLIMIT_NOFILE, &files);
  const rlim_t room = files.rlim_cur > 2 * kOthers ? files.rlim_cur - kOthers : files.rlim_cur / 4;
  return static_cast<size_t>(std::min<rlim_t>(config.max_connections(), room));
}

// What is counted only about, and buffers that do not shrink with the memory.
constexpr uint64_t kBesideMemory = 32 << 20;

rpc::ServerOptions ToOptions(const ServerConfig& config, uint64_t memory, memory::MemoryBudget& budget) {
  rpc::ServerOptions options;
  options.listen = config.listen();
  options.shards = ShardCount(config);
  options.message_bytes = config.message_bytes();
  options.max_connections = MostConnections(config);
  options.store_grace = config::ToDuration(config.store_grace());
  const auto shards = static_cast<uint64_t>(options.shards);
  options.shard.capacity_rows = (config.max_rows() + shards - 1) / shards;
  options.shard.max_resident_bytes = ResidentBytes(config, memory) / shards;
  options.shard.max_channels = config.max_channels();
  options.shard.advertise = config.advertise();
  options.shard.max_tokens_per_item = config.tokens_per_item();
  options.shard.saves_outlast_server = config.store() != ServerConfig::MEMORY;
  options.shard.max_in_flight_tokens = config.in_flight_tokens();
  options.shard.max_undurable_tokens = std::max(config.undurable_tokens(), config.in_flight_tokens());
  options.shard.max_sessions_per_stream = config.max_sessions_per_stream();
  options.shard.save_interval = config::ToDuration(config.save_interval());
  options.shard.session_ttl = config::ToDuration(config.session_ttl());
  options.shard.budget = &budget;
  options.process_bytes = memory + memory / 8 + kBesideMemory;
  SetLimits(config, memory, options);
  return options;
}

store::StoreOptions ToStoreOptions(const ServerConfig& config, uint64_t memory) {
  store::StoreOptions options;
  options.kind = absl::AsciiStrToLower(ServerConfig::Store_Name(config.store()));
  options.rocksdb.folder = config.data_dir();
  options.rocksdb.durability =
      config.sync() == ServerConfig::POWER ? store::Durability::kPower : store::Durability::kProcess;
  options.redis_addresses = config.redis();
  options.redis.password_file = config.redis_password_file();
  options.redis.prefix = config.redis_prefix();
  options.redis.timeout = config::ToDuration(config.redis_timeout());
  options.rocksdb.buffer_bytes = std::clamp<size_t>(memory / 64, 1 << 20, 32 << 20);
  return options;
}

constexpr uint64_t kLeastMemory = 16 << 20;  // the program and small buffers

std::string EngineName(const ServerConfig& config) {
  return absl::AsciiStrToLower(ServerConfig::Device_Name(config.device()));
}

// Whoever can reach the server can read and write all sessions, unless TLS keeps others from listening.
absl::Status CheckReach(const ServerConfig& config) {
  const absl::StatusOr<address::Address> listen = address::Address::Parse(config.listen());
  if (!listen.ok() || address::IsLoopback(*listen) || config.insecure() || !config.tls_cert().empty()) {
    return absl::OkStatus();  // a bad address is told of when it is taken
  }
  return absl::InvalidArgumentError(
      absl::StrCat("listen: others can reach ", config.listen(),
                   "; give tls_cert and tls_key, or insecure to serve them in plain text"));
}

// What this build has; later ones may have more.
absl::Status CheckBuild(const ServerConfig& config) {
  if (absl::Status status = models::CheckEngine(EngineName(config)); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("device: ", status.message()));
  }
  if (config.store() != ServerConfig::MEMORY && config::ToDuration(config.save_interval()) == absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        "save_interval: 0 saves nothing, and what the store has would be of the past; give --store=memory with it");
  }
  if (config.max_resident_bytes() > 0 && config::ToDuration(config.save_interval()) == absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        "max_resident_bytes: with save_interval 0 nothing is saved, and no session can leave memory");
  }
  if (!config.advertise().empty()) {
    if (absl::Status status = address::Address::Parse(config.advertise()).status(); !status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("advertise: ", status.message()));
    }
  }
  if (absl::Status status = CheckReach(config); !status.ok()) return status;
  if (config.memory() > 0 && config.memory() < kLeastMemory) {
    return absl::InvalidArgumentError(
        absl::StrCat("memory: ", config.memory(), " bytes; at least ", kLeastMemory, " (16 MB) are needed"));
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

absl::Status LoadModels(const ServerConfig& config, models::ModelTable& models) {
  std::string folder = config.models();
  if (folder.empty()) {
    absl::StatusOr<std::string> bundled = BundledModels();
    if (!bundled.ok()) return bundled.status();
    folder = *std::move(bundled);
  }
  if (absl::Status status = models.LoadFolder(folder, EngineName(config)); !status.ok()) return status;
  if (!config.default_model().empty()) {
    if (absl::Status status = models.SetDefault(config.default_model()); !status.ok()) return status;
  }
  for (const auto& model : models.models()) {
    log::Log(log::LogLevel::kInfo, "model loaded", {{"model", model->id}, {"digest", model->package.digest}});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<metrics::Exposition>> StartMetrics(const ServerConfig& config,
                                                                  const rpc::ServerOptions& options,
                                                                  const store::MeasuredStore& store,
                                                                  const rpc::Server& server) {
  if (config.metrics_listen().empty()) return nullptr;
  std::vector<std::shared_ptr<prometheus::Collectable>> sources = {
      std::make_shared<metrics::ShardMetrics>(server.shard_counters(), server.stream_counters(), options,
                                              [&server] { return server.transit_bytes(); }),
      std::make_shared<metrics::ConnectionMetrics>(server.connection_counters()),
      std::make_shared<metrics::StoreMetrics>(store, server.store_health()),
      std::make_shared<metrics::ProcessMetrics>()};
  if (options.roster != nullptr) sources.push_back(std::make_shared<metrics::TenantMetrics>(*options.roster));
  return metrics::Exposition::Start(config.metrics_listen(), std::move(sources));
}

// None: everybody may everything.
absl::StatusOr<std::unique_ptr<identity::RosterFile>> OpenRoster(const ServerConfig& config) {
  if (config.callers().empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<identity::RosterFile>> opened = identity::RosterFile::Open(config.callers());
  if (!opened.ok()) return absl::InvalidArgumentError(absl::StrCat("callers: ", opened.status().message()));
  return opened;
}

// Who is let in, and how. `roster` is for the server's life.
absl::Status Secure(const ServerConfig& config, std::unique_ptr<identity::RosterFile>& roster,
                    rpc::ServerOptions& options) {
  absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials =
      tls::MakeCredentials({config.tls_cert(), config.tls_key(), config.tls_client_ca()});
  if (!credentials.ok()) return credentials.status();
  options.credentials = *std::move(credentials);
  absl::StatusOr<std::unique_ptr<identity::RosterFile>> opened = OpenRoster(config);
  if (!opened.ok()) return opened.status();
  roster = *std::move(opened);
  options.roster = roster.get();
  return absl::OkStatus();
}

// The settings, and as a comment whom the list of callers lets in. A line of it that is wrong is told here, too; a list
// that is elsewhere, where the server will run, is none of this machine's business.
absl::StatusOr<std::string> PrintSettings(const ServerConfig& config) {
  std::string text = config::PrintConfig(config);
  if (config.callers().empty()) return text;
  const absl::StatusOr<std::unique_ptr<identity::RosterFile>> roster = identity::RosterFile::Open(config.callers());
  if (absl::IsInvalidArgument(roster.status())) {
    return absl::InvalidArgumentError(absl::StrCat("callers: ", roster.status().message()));
  }
  absl::StrAppend(&text, roster.ok() ? (*roster)->Describe() : absl::StrCat("# ", roster.status().message(), "\n"));
  return text;
}

int Serve(const ServerConfig& config) {
  if (absl::Status status = CheckBuild(config); !status.ok()) return Fail(2, status);
  rpc::RouteGrpcLog();
  log::SetUpLog(config.log_format() == ServerConfig::JSON ? log::LogFormat::kJson : log::LogFormat::kText,
                static_cast<log::LogLevel>(config.log_level()));
  ShutdownSignal& shutdown = *new ShutdownSignal(config::ToDuration(config.grace()));
  models::ModelTable models;
  if (absl::Status status = LoadModels(config, models); !status.ok()) return Fail(1, status);
  const uint64_t memory = config.memory() > 0 ? config.memory() : memory::MachineMemory() / 4 * 3;
  memory::MemoryBudget budget(SessionMemory(memory));
  absl::StatusOr<std::unique_ptr<store::StateStore>> opened = store::OpenStore(ToStoreOptions(config, memory), budget);
  if (!opened.ok()) return Fail(absl::IsInvalidArgument(opened.status()) ? 2 : 1, opened.status());
  store::MeasuredStore store(*std::move(opened));
  rpc::ServerOptions options = ToOptions(config, memory, budget);
  std::unique_ptr<identity::RosterFile> roster;
  if (absl::Status status = Secure(config, roster, options); !status.ok()) return Fail(2, status);
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(options, models, store);
  if (!server.ok()) return Fail(1, server.status());
  const auto metrics = StartMetrics(config, options, store, **server);
  if (!metrics.ok()) return Fail(1, metrics.status());
  const std::string metrics_address = *metrics == nullptr ? "none" : (*metrics)->address();
  std::printf("ready listen=%s metrics=%s\n", (*server)->address().c_str(), metrics_address.c_str());
  std::fflush(stdout);
  log::Log(log::LogLevel::kInfo, "serving",
           {{"listen", (*server)->address()},
            {"metrics", metrics_address},
            {"shards", absl::StrCat(ShardCount(config))},
            {"store", store.name()},
            {"memory", absl::StrCat(memory)},
            {"connections", absl::StrCat(options.max_connections)}});
  shutdown.Wait();
  const bool all_saved = (*server)->Shutdown(config::ToDuration(config.grace()));
  if (!all_saved) {
    log::Log(log::LogLevel::kError, "the grace period is over: what is not saved is lost");
    _exit(1);
  }
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
}  // namespace aaren

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  return aaren::Main(std::vector<std::string>(argv + 1, argv + argc));
}
