#ifndef AAREN_SERVER_PROGRAM_OPERATOR_ADDRESSES_H_
#define AAREN_SERVER_PROGRAM_OPERATOR_ADDRESSES_H_

// Where operators ask, beside the address that streams come to: /metrics for Prometheus, and the service Admin. Each is
// there only if the settings give it an address.
//
// Threading: one thread.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/admin/admin_server.h"
#include "server/config/config.h"
#include "server/metrics/format/exposition.h"
#include "server/models/model_table.h"
#include "server/program/security.h"
#include "server/program/tracing.h"
#include "server/rpc/server.h"
#include "server/store/measured_store.h"

namespace aaren::program {

class OperatorAddresses {
 public:
  // What they tell of. All of it outlives them.
  struct Sources {
    const config::ServerConfig& config;
    const rpc::ServerOptions& options;
    const Security& security;
    const store::MeasuredStore& store;
    const rpc::Server& server;
    const models::ModelTable& models;
    const Tracing* tracing;  // null if nothing is traced
  };

  // An address that is bad or in use; the message names the setting.
  static absl::StatusOr<OperatorAddresses> Start(const Sources& sources);

  // "HOST:PORT", or "none".
  std::string metrics() const;
  // "HOST:PORT", "unix:PATH", or empty.
  std::string admin() const;

  // Ends the calls of Admin, which ask shards. REQUIRES: before the server's Shutdown.
  void StopAdmin();

 private:
  OperatorAddresses() = default;

  std::unique_ptr<metrics::Exposition> metrics_;  // null: none
  std::unique_ptr<admin::AdminServer> admin_;     // null: none
};

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_OPERATOR_ADDRESSES_H_
