#ifndef AAREN_SERVER_OPERATE_ADMIN_ADMIN_SERVER_H_
#define AAREN_SERVER_OPERATE_ADMIN_ADMIN_SERVER_H_

// The AdminServer serves aaren.v1.Admin on `admin_address`: a grpc::Server, a queue and a thread of its own. It answers
// however busy the public address is. Its connections have the same security as the public ones.
//
// The thread does not wait at its queue. gRPC has one set of sockets for the whole process, and a waiting thread takes
// events away from the shards (server/net/rpc/README.md has the price). The thread looks at the queue, and sleeps
// elsewhere.
//
// Threading: Start and Stop by one thread.

#include <memory>
#include <string>
#include <thread>

#include "aaren/v1/admin.grpc.pb.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "server/identity/callers.h"
#include "server/net/rpc/event_queue.h"
#include "server/net/rpc/server.h"
#include "server/net/rpc/services/unary_call.h"
#include "server/operate/admin/admin_service.h"
#include "server/program/config/config.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/session/clock.h"

namespace aaren::admin {

// True for the address of a Unix socket, "unix:PATH".
bool IsUnixSocket(absl::string_view address);

struct AdminOptions {
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
  const identity::Callers* callers = nullptr;  // the known callers; null: everybody may do everything
};

class AdminServer {
 public:
  // Serves on the address in `config`, for the admins of the tenant in `config`. All arguments but the options outlive
  // the server. InvalidArgument for a bad address, AlreadyExists for a port in use, else Unavailable; each names the
  // setting.
  static absl::StatusOr<std::unique_ptr<AdminServer>> Start(const AdminOptions& options,
                                                            const config::ServerConfig& config,
                                                            const rpc::Server& server, const models::ModelTable& models,
                                                            const session::Clock& clock = session::Clock::System());
  ~AdminServer();  // Stop()

  // Ends every call. REQUIRES: before the server's Shutdown.
  void Stop();

  // "HOST:PORT", or "unix:PATH".
  const std::string& address() const { return address_; }

 private:
  AdminServer(const AdminOptions& options, const AdminSources& sources, const session::Clock& clock);
  absl::Status Listen(const AdminOptions& options);
  void Run();

  std::string address_;
  const session::Clock& clock_;
  session::Mailbox mailbox_;
  rpc::HeadersFirstService admin_{v1::Admin::service_full_name()};
  int calls_ = 0;
  std::unique_ptr<rpc::EventQueue> queue_;
  std::unique_ptr<rpc::UnaryHost> host_;
  AdminService service_;
  std::unique_ptr<grpc::Server> server_;
  std::thread thread_;
  bool stopping_ = false;  // the thread's only
};

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_ADMIN_SERVER_H_
