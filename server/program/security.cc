#include "server/program/security.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/tls/credentials.h"

namespace aaren::program {
namespace {

using config::ServerConfig;

absl::StatusOr<std::unique_ptr<identity::RosterFile>> OpenRoster(const ServerConfig& config) {
  if (config.callers().empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<identity::RosterFile>> opened = identity::RosterFile::Open(config.callers());
  if (!opened.ok()) return absl::InvalidArgumentError(absl::StrCat("callers: ", opened.status().message()));
  return opened;
}

}  // namespace

absl::StatusOr<Security> OpenSecurity(const ServerConfig& config) {
  Security security;
  absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials =
      tls::MakeCredentials({config.tls_cert(), config.tls_key(), config.tls_client_ca()});
  if (!credentials.ok()) return credentials.status();
  security.credentials = *std::move(credentials);
  absl::StatusOr<std::unique_ptr<identity::RosterFile>> roster = OpenRoster(config);
  if (!roster.ok()) return roster.status();
  security.roster = *std::move(roster);
  return security;
}

}  // namespace aaren::program
