#ifndef AAREN_SERVER_PROGRAM_OPERATOR_ADDRESSES_H_
#define AAREN_SERVER_PROGRAM_OPERATOR_ADDRESSES_H_

// The addresses for operators, beside the address for streams: /metrics for Prometheus, and the service Admin. Each
// exists only with an address in the settings.
//
// Threading: one thread.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/net/rpc/server.h"
#include "server/operate/admin/admin_server.h"
#include "server/operate/metrics/format/exposition.h"
#include "server/program/config/config.h"
#include "server/program/security.h"
#include "server/program/tracing.h"
#include "server/sessions/models/model_table.h"
#include "server/store/measured_store.h"

namespace aaren::program {

class OperatorAddresses {
 public:
  // The sources of the answers. All of them outlive the addresses.
  struct Sources {
    const config::ServerConfig& config;
    const rpc::ServerOptions& options;
    const Security& security;
    const store::MeasuredStore& store;
    const rpc::Server& server;
    const models::ModelTable& models;
    const Tracing* tracing;  // null if nothing is traced
  };

  // Error: a bad address, or an address in use; the message names the setting.
  static absl::StatusOr<OperatorAddresses> Start(const Sources& sources);

  // "HOST:PORT", or "none".
  std::string metrics() const;
  // "HOST:PORT", "unix:PATH", or empty.
  std::string admin() const;

  // Ends the calls of Admin, since the calls ask shards. REQUIRES: before the server's Shutdown.
  void StopAdmin();

 private:
  OperatorAddresses() = default;

  std::unique_ptr<metrics::Exposition> metrics_;  // null: none
  std::unique_ptr<admin::AdminServer> admin_;     // null: none
};

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_OPERATOR_ADDRESSES_H_
