#include "server/program/check_settings.h"

#include "absl/strings/str_cat.h"
#include "server/identity/caller.h"
#include "server/machine/address/address.h"
#include "server/operate/admin/admin_server.h"
#include "server/program/load_models.h"
#include "server/program/server_options.h"
#include "server/sessions/models/open_engine.h"

namespace aaren::program {
namespace {

using config::ServerConfig;

constexpr uint64_t kLeastMemory = 16 << 20;  // the program and small buffers

// Everybody who can reach the server can read and write all sessions, unless TLS keeps strangers from listening.
absl::Status CheckReach(absl::string_view setting, const std::string& text, const ServerConfig& config) {
  const absl::StatusOr<address::Address> listen = address::Address::Parse(text);
  if (!listen.ok() || address::IsLoopback(*listen) || config.insecure() || !config.tls_cert().empty()) {
    return absl::OkStatus();  // a bad address is reported by its user
  }
  return absl::InvalidArgumentError(absl::StrCat(
      setting, ": others can reach ", text, "; give tls_cert and tls_key, or insecure to serve them in plain text"));
}

// The admin address shows all tenants: no right of every tenant's admin.
absl::Status CheckAdmin(const ServerConfig& config) {
  const bool knows_callers = !config.callers().empty() || !config.jwks().empty();
  const std::string& tenant = config.admin_tenant();
  if (!tenant.empty() && !knows_callers) {
    return absl::InvalidArgumentError("admin_tenant: without callers or jwks nobody is known to be of it");
  }
  if (!tenant.empty() && !identity::IsTenant(tenant)) {
    return absl::InvalidArgumentError(absl::StrCat("admin_tenant: '", tenant, "' cannot be a tenant's name"));
  }
  if (config.admin_address().empty()) return absl::OkStatus();
  if (knows_callers && tenant.empty()) {
    return absl::InvalidArgumentError(
        "admin_address: give admin_tenant, whose admins may see all tenants there; callers or jwks tell who that is");
  }
  // The folder of a Unix socket says who may connect.
  if (admin::IsUnixSocket(config.admin_address())) return absl::OkStatus();
  const absl::Status address = address::Address::Parse(config.admin_address()).status();
  if (!address.ok()) return absl::InvalidArgumentError(absl::StrCat("admin_address: ", address.message()));
  return CheckReach("admin_address", config.admin_address(), config);
}

// A token signed by any issuer's key, for any audience, would be everybody's.
absl::Status CheckTokens(const ServerConfig& config) {
  const bool rules = !config.jwt_issuer().empty() && !config.jwt_audience().empty();
  if (!config.jwks().empty() && !rules) {
    return absl::InvalidArgumentError("jwks: give jwt_issuer and jwt_audience, which a token must name, with it");
  }
  if (config.jwks().empty() && !(config.jwt_issuer().empty() && config.jwt_audience().empty())) {
    return absl::InvalidArgumentError("jwt_issuer, jwt_audience: without jwks no token is looked at; give the keys");
  }
  return absl::OkStatus();
}

absl::Status CheckTraces(const ServerConfig& config) {
  if (config.trace_endpoint().empty()) {
    return config.trace_ca().empty()
               ? absl::OkStatus()
               : absl::InvalidArgumentError("trace_ca: without trace_endpoint nothing is traced; give it");
  }
  const absl::StatusOr<address::Address> endpoint = address::Address::Parse(config.trace_endpoint());
  if (endpoint.ok() && endpoint->port != 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "trace_endpoint: ", endpoint.ok() ? "port 0 is nobody's" : std::string(endpoint.status().message())));
}

}  // namespace

absl::Status CheckSettings(const ServerConfig& config) {
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
  if (absl::Status status = CoresOf(config).status(); !status.ok()) return status;
  if (absl::Status status = CheckReach("listen", config.listen(), config); !status.ok()) return status;
  if (absl::Status status = CheckAdmin(config); !status.ok()) return status;
  if (absl::Status status = CheckTokens(config); !status.ok()) return status;
  if (absl::Status status = CheckTraces(config); !status.ok()) return status;
  if (config.memory() > 0 && config.memory() < kLeastMemory) {
    return absl::InvalidArgumentError(
        absl::StrCat("memory: ", config.memory(), " bytes; at least ", kLeastMemory, " (16 MB) are needed"));
  }
  return absl::OkStatus();
}

}  // namespace aaren::program
