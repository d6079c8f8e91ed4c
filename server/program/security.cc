#include "server/program/security.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/net/tls/credentials.h"
#include "server/sessions/session/clock.h"

namespace aaren::program {
namespace {

using config::ServerConfig;

absl::StatusOr<std::unique_ptr<identity::RosterFile>> OpenRoster(const ServerConfig& config) {
  if (config.callers().empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<identity::RosterFile>> opened = identity::RosterFile::Open(config.callers());
  if (!opened.ok()) return absl::InvalidArgumentError(absl::StrCat("callers: ", opened.status().message()));
  return opened;
}

absl::StatusOr<std::unique_ptr<identity::KeySetFile>> OpenKeys(const ServerConfig& config) {
  if (config.jwks().empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<identity::KeySetFile>> opened = identity::KeySetFile::Open(config.jwks());
  if (!opened.ok()) return absl::InvalidArgumentError(absl::StrCat("jwks: ", opened.status().message()));
  return opened;
}

// The known callers. Null without any setting: then everybody may call.
absl::StatusOr<std::unique_ptr<identity::Callers>> OpenCallers(const ServerConfig& config) {
  absl::StatusOr<std::unique_ptr<identity::RosterFile>> roster = OpenRoster(config);
  if (!roster.ok()) return roster.status();
  absl::StatusOr<std::unique_ptr<identity::KeySetFile>> keys = OpenKeys(config);
  if (!keys.ok()) return keys.status();
  if (*roster == nullptr && *keys == nullptr) return nullptr;
  const identity::WebTokenRules rules{.issuer = config.jwt_issuer(),
                                      .audience = config.jwt_audience(),
                                      .tenant_claim = config.jwt_tenant_claim(),
                                      .role_claim = config.jwt_role_claim(),
                                      .skew = config::ToDuration(config.jwt_skew())};
  auto callers = std::make_unique<identity::Callers>(*std::move(roster), *std::move(keys), rules);
  callers->Watch([] { return session::Clock::System().NowNanos(); });
  return callers;
}

}  // namespace

absl::StatusOr<Security> OpenSecurity(const ServerConfig& config) {
  Security security;
  absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials =
      tls::MakeCredentials({config.tls_cert(), config.tls_key(), config.tls_client_ca()});
  if (!credentials.ok()) return credentials.status();
  security.credentials = *std::move(credentials);
  absl::StatusOr<std::unique_ptr<identity::Callers>> callers = OpenCallers(config);
  if (!callers.ok()) return callers.status();
  security.callers = *std::move(callers);
  return security;
}

absl::StatusOr<std::string> DescribeCallers(const ServerConfig& config) {
  if (!config.jwks().empty()) {
    const absl::Status keys = identity::KeySetFile::Open(config.jwks()).status();
    if (absl::IsInvalidArgument(keys)) return absl::InvalidArgumentError(absl::StrCat("jwks: ", keys.message()));
  }
  if (config.callers().empty()) return "";
  const absl::StatusOr<std::unique_ptr<identity::RosterFile>> roster = identity::RosterFile::Open(config.callers());
  if (roster.ok()) return (*roster)->Describe();
  if (!absl::IsInvalidArgument(roster.status())) return absl::StrCat("# ", roster.status().message(), "\n");
  return absl::InvalidArgumentError(absl::StrCat("callers: ", roster.status().message()));
}

}  // namespace aaren::program
