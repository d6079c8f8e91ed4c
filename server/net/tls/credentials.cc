#include "server/net/tls/credentials.h"

#include <pthread.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"
#include "server/net/tls/tls_copy.h"
#include "server/operate/log/log.h"

namespace aaren::tls {
namespace {

// Five seconds here and one second in gRPC: ten seconds after a change all new connections use the new files.
constexpr std::chrono::seconds kLook(5);
constexpr unsigned kGrpcLookSeconds = 1;  // at the copy

std::shared_ptr<grpc::ServerCredentials> CredentialsOf(const TlsCopy& copy) {
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(copy.pair_path(), copy.pair_path(),
                                                                           copy.client_ca_path(), kGrpcLookSeconds));
  options.watch_identity_key_cert_pairs();
  if (!copy.client_ca_path().empty()) {
    options.watch_root_certs();
    // A client without a certificate ends at the handshake.
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

// Credentials, and a thread that keeps their copy of the files up to date. Threading: immutable.
class WatchedCredentials {
 public:
  explicit WatchedCredentials(std::unique_ptr<TlsCopy> copy)
      : copy_(std::move(copy)), credentials_(CredentialsOf(*copy_)), thread_([this] { Watch(); }) {
    pthread_setname_np(thread_.native_handle(), "tls-files");
  }
  ~WatchedCredentials() {
    ended_.set_value();
    thread_.join();
  }

  grpc::ServerCredentials* credentials() const { return credentials_.get(); }

 private:
  void Watch() {
    std::string told;
    const std::future<void> ended = ended_.get_future();
    while (ended.wait_for(kLook) != std::future_status::ready) {
      const std::string problem(copy_->Refresh().message());
      // A lasting problem is logged once, not at each look.
      if (!problem.empty() && problem != told) {
        log::Log(log::LogLevel::kError, "the certificates stay as they were", {{"reason", problem}});
      }
      told = problem;
    }
  }

  const std::unique_ptr<TlsCopy> copy_;
  const std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::promise<void> ended_;  // its waits go by the monotonic clock
  std::thread thread_;        // the last member: the thread uses the rest
};

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(const TlsFiles& files) {
  if (files.cert.empty() && files.key.empty() && files.client_ca.empty()) return grpc::InsecureServerCredentials();
  absl::StatusOr<std::unique_ptr<TlsCopy>> copy = TlsCopy::Open(files);
  if (!copy.ok()) return copy.status();
  const auto watched = std::make_shared<WatchedCredentials>(*std::move(copy));
  // The result shares the ownership of `watched`: the thread lives as long as the credentials.
  return std::shared_ptr<grpc::ServerCredentials>(watched, watched->credentials());
}

}  // namespace aaren::tls
