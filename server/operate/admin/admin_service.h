#ifndef AAREN_SERVER_OPERATE_ADMIN_ADMIN_SERVICE_H_
#define AAREN_SERVER_OPERATE_ADMIN_ADMIN_SERVICE_H_

// The AdminService answers the calls of aaren.v1.Admin from the parts of the server: from the settings and the shards'
// published counters, and from a page of streams or sessions asked of the shards' mailboxes. Threading: the thread of
// the service's queue only.

#include <memory>
#include <optional>

#include "aaren/v1/admin.grpc.pb.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/net/rpc/server.h"
#include "server/net/rpc/services/unary_call.h"
#include "server/operate/admin/busy_shares.h"
#include "server/operate/admin/profile/cpu_profile.h"
#include "server/program/config/config.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/session/peer.h"

namespace aaren::admin {

// The sources of the answers. All of them outlive the service.
struct AdminSources {
  const config::ServerConfig& config;
  const rpc::Server& server;
  const models::ModelTable& models;
};

class AdminService {
 public:
  AdminService(const AdminSources& sources, const session::Clock& clock);

  // Waits for calls. `service` and `host` outlive the server.
  void Serve(rpc::HeadersFirstService& service, rpc::UnaryHost& host);

  // Does due work: call it every few milliseconds.
  void Tick();

  // Refuses the running profile, and all later ones.
  void Leave();

 private:
  // A running profile.
  struct Profiling {
    CpuProfile profile;
    absl::Time end;
    rpc::Reply<v1::ProfileResponse> reply;
  };

  void WatchSession(const v1::WatchSessionRequest& request, rpc::Reply<v1::WatchSessionResponse> reply) const;
  void ListSessions(const v1::ListTenantSessionsRequest& request,
                    rpc::Reply<v1::ListTenantSessionsResponse> reply) const;
  void EndProfile(const session::Refusal& why);
  void BeginProfile(const v1::ProfileRequest& request, rpc::Reply<v1::ProfileResponse> reply);

  const AdminSources sources_;
  const session::Clock& clock_;
  BusyShares busy_;
  std::optional<Profiling> profiling_;
  bool leaving_ = false;
};

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_ADMIN_SERVICE_H_
