#include "server/operate/admin/admin_server.h"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpcpp/server_builder.h"
#include "server/machine/address/address.h"
#include "server/net/rpc/limits/connection_limits.h"

namespace aaren::admin {
namespace {

// A thread that waits in gRPC takes events away from the shards, so this thread looks and sleeps. An answer comes
// within a tenth of a second.
constexpr absl::Duration kLook = absl::Milliseconds(50);    // between two looks at the queue
constexpr absl::Duration kLookOn = absl::Milliseconds(10);  // the same while an operator asks
constexpr absl::Duration kAsking = absl::Seconds(1);        // how long after an event an operator counts as asking
constexpr absl::Duration kDrain = absl::Milliseconds(20);   // the longest drain
constexpr std::chrono::milliseconds kCancelAfter(500);
constexpr int kRequestBytes = 64 << 10;  // requests are names and numbers
constexpr char kUnix[] = "unix:";

// For a few people: the memory of the admin's calls stays small beside the shards'.
rpc::StreamLimits Limits() {
  rpc::StreamLimits limits;
  limits.unary_calls = 32;
  limits.unary_bytes = size_t{16} << 20;
  return limits;
}

// The address for gRPC to bind. gRPC would share a port already in use, and gives no reason when it cannot bind.
absl::StatusOr<address::Address> FreeAddress(const std::string& text) {
  absl::StatusOr<address::Address> address = address::Address::Parse(text);
  if (!address.ok()) return address.status();
  // Any free port will do: nothing can be in use.
  if (address->port == 0) return address;
  if (absl::Status status = address::CheckFree(*address); !status.ok()) return status;
  return address;
}

absl::Status Named(const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("admin_address: ", status.message()));
}

}  // namespace

bool IsUnixSocket(absl::string_view address) { return absl::StartsWith(address, kUnix); }

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Start(const AdminOptions& options,
                                                                const config::ServerConfig& config,
                                                                const rpc::Server& server,
                                                                const models::ModelTable& models,
                                                                const session::Clock& clock) {
  std::unique_ptr<AdminServer> admin(new AdminServer(options, {config, server, models}, clock));
  if (absl::Status status = admin->Listen(options); !status.ok()) return Named(status);
  admin->thread_ = std::thread([admin = admin.get()] { admin->Run(); });
  pthread_setname_np(admin->thread_.native_handle(), "admin");
  return admin;
}

AdminServer::AdminServer(const AdminOptions&, const AdminSources& sources, const session::Clock& clock)
    : address_(sources.config.admin_address()), clock_(clock), service_(sources, clock) {}

absl::Status AdminServer::Listen(const AdminOptions& options) {
  absl::StatusOr<address::Address> address = address::Address{};
  if (!IsUnixSocket(address_)) address = FreeAddress(address_);
  if (!address.ok()) return address.status();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(IsUnixSocket(address_) ? address_ : address->ToString(), options.credentials, &port);
  // Another server on the same port would take a part of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(kRequestBytes);
  rpc::SetConnections({}, builder);
  builder.RegisterService(&admin_);
  queue_ = std::make_unique<rpc::EventQueue>(builder.AddCompletionQueue(), clock_);
  host_ = std::make_unique<rpc::UnaryHost>(queue_->queue(), mailbox_, calls_, Limits(), clock_);
  host_->callers = options.callers;
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port == 0) return absl::UnavailableError(absl::StrCat("cannot listen on ", address_));
  if (IsUnixSocket(address_)) return absl::OkStatus();
  address->port = port;
  address_ = address->ToString();
  return absl::OkStatus();
}

AdminServer::~AdminServer() {
  Stop();
  // Listen succeeded, and the thread never began.
  if (server_ == nullptr || stopping_) return;
  server_->Shutdown();
  queue_->Shutdown();
}

void AdminServer::Stop() {
  if (!thread_.joinable()) return;
  mailbox_.Post([this] {
    host_->draining = true;
    service_.Leave();
  });
  // An operator who takes no answers must not hold the end up.
  server_->Shutdown(std::chrono::system_clock::now() + kCancelAfter);
  // The mailbox keeps the order: the thread refuses the waiting calls before the loop ends.
  mailbox_.Post([this] { stopping_ = true; });
  thread_.join();
}

void AdminServer::Run() {
  service_.Serve(admin_, *host_);
  absl::Time next_stale = clock_.Now(), last_event = absl::InfinitePast();
  while (!stopping_ || calls_ > 0) {
    bool any = queue_->Drain(kDrain);
    any |= mailbox_.Drain();
    service_.Tick();
    const absl::Time now = clock_.Now();
    if (any) last_event = now;
    if (now >= next_stale) {
      next_stale = now + absl::Seconds(1);
      host_->EndStale();
    }
    absl::SleepFor(now - last_event < kAsking ? kLookOn : kLook);
  }
  queue_->Shutdown();
}

}  // namespace aaren::admin
