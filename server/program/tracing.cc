#include "server/program/tracing.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/machine/file/regular_file.h"
#include "server/program/version/version.h"

namespace aaren::program {
namespace {

using config::ServerConfig;

constexpr size_t kMostCertificates = 1 << 20;           // bytes
constexpr absl::Duration kPatience = absl::Seconds(1);  // the last spans are worth no longer a wait

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsOf(const ServerConfig& config) {
  if (config.trace_ca().empty()) return grpc::InsecureChannelCredentials();
  absl::StatusOr<std::string> pem = file::ReadRegularFile(config.trace_ca(), kMostCertificates);
  if (!pem.ok()) return absl::InvalidArgumentError(absl::StrCat("trace_ca: ", pem.status().message()));
  // gRPC takes any text, and then fails at every connection.
  if (pem->find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("trace_ca: there is no certificate in ", config.trace_ca()));
  }
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = *std::move(pem);
  return grpc::SslCredentials(options);
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

// A name of this server alone: the advertised address, if given. Many servers may listen on 0.0.0.0.
std::string InstanceOf(const ServerConfig& config, int port) {
  return config.advertise().empty() ? absl::StrCat(HostName(), ":", port) : config.advertise();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tracing>> Tracing::Open(const ServerConfig& config) {
  if (config.trace_endpoint().empty()) return nullptr;
  absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> credentials = CredentialsOf(config);
  if (!credentials.ok()) return credentials.status();
  return std::unique_ptr<Tracing>(new Tracing(config, *std::move(credentials)));
}

void Tracing::SetUp(rpc::ServerOptions& options) {
  options.traces.share = config_.trace_sampling();
  options.spans = &spans_;
}

void Tracing::Start(int port) {
  trace::ExporterOptions options;
  options.endpoint = config_.trace_endpoint();
  options.credentials = credentials_;
  options.resource = {{"service.name", "aaren-server"},
                      {"service.version", version::kVersion},
                      {"service.instance.id", InstanceOf(config_, port)},
                      {"host.name", HostName()}};
  exporter_.emplace(std::move(options), spans_);
}

void Tracing::Stop(absl::Duration left) { exporter_->Stop(std::clamp(left / 2, absl::ZeroDuration(), kPatience)); }

}  // namespace aaren::program
