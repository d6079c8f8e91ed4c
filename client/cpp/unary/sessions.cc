#include "aaren/client/sessions.h"

#include <utility>

#include "aaren/v1/sessions.grpc.pb.h"
#include "client/cpp/messages/values.h"
#include "client/cpp/unary/unary.h"

namespace aaren::client {
namespace {

using SessionsStub = v1::Sessions::Stub;

}  // namespace

class Sessions::Calls : public UnaryCaller<v1::Sessions> {
 public:
  using UnaryCaller::UnaryCaller;

  absl::StatusOr<SessionInfo> Read(const absl::StatusOr<v1::SessionInfo>& answer) const {
    if (!answer.ok()) return answer.status();
    return ToValue(*answer, server());
  }
};

Sessions::Sessions(ServiceOptions options) : calls_(std::make_unique<const Calls>(std::move(options))) {}
Sessions::~Sessions() = default;

absl::StatusOr<SessionInfo> Sessions::Get(const std::string& id, const CallOptions& call) const {
  v1::GetSessionRequest request;
  request.set_session_id(id);
  return calls_->Read(calls_->Ask(&SessionsStub::Get, request, {id}, call));
}

absl::StatusOr<SessionPage> Sessions::List(const SessionQuery& query, const CallOptions& call) const {
  v1::ListSessionsRequest request;
  request.set_prefix(query.prefix);
  request.set_page_size(query.page_size);
  request.set_page_token(query.page_token);
  const auto answer = calls_->Ask(&SessionsStub::List, request, {query.prefix}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*answer, calls_->server());
}

absl::StatusOr<Snapshot> Sessions::Export(const std::string& id, const CallOptions& call) const {
  v1::ExportSessionRequest request;
  request.set_session_id(id);
  auto answer = calls_->Ask(&SessionsStub::Export, request, {id}, call);
  if (!answer.ok()) return answer.status();
  return ToValue(*std::move(answer), calls_->server());
}

absl::StatusOr<SessionInfo> Sessions::Import(const std::string& id, const std::string& snapshot, ImportMode mode,
                                             const CallOptions& call) const {
  v1::ImportSessionRequest request;
  request.set_session_id(id);
  request.set_snapshot(snapshot);
  request.set_replace(mode == ImportMode::kReplace);
  return calls_->Read(calls_->Ask(&SessionsStub::Import, request, {id}, call));
}

absl::StatusOr<SessionInfo> Sessions::Migrate(const SessionInfo& seen, const std::string& model,
                                              const CallOptions& call) const {
  if (seen.attached) return absl::FailedPreconditionError("a stream has the session open: end it first");
  absl::StatusOr<Snapshot> exported = Export(seen.id, call);
  if (!exported.ok()) return exported.status();
  v1::ImportSessionRequest request;
  request.set_session_id(seen.id);
  request.set_snapshot(std::move(exported->bytes));
  // The session itself has the id.
  request.set_replace(true);
  request.set_model(model);
  // The server refuses the Import if a stream has opened the session since `seen`.
  request.set_epoch(seen.epoch);
  return calls_->Read(calls_->Ask(&SessionsStub::Import, request, {seen.id}, call));
}

absl::StatusOr<SessionInfo> Sessions::Fork(const std::string& id, const std::string& new_id,
                                           const CallOptions& call) const {
  v1::ForkSessionRequest request;
  request.set_session_id(id);
  request.set_new_session_id(new_id);
  return calls_->Read(calls_->Ask(&SessionsStub::Fork, request, {id, new_id}, call));
}

absl::Status Sessions::Delete(const std::string& id, const CallOptions& call) const {
  v1::DeleteSessionRequest request;
  request.set_session_id(id);
  return calls_->Ask(&SessionsStub::Delete, request, {id}, call).status();
}

absl::Status Sessions::DeleteUnused(const SessionInfo& seen, const CallOptions& call) const {
  v1::DeleteSessionRequest request;
  request.set_session_id(seen.id);
  request.set_epoch(seen.epoch);
  return calls_->Ask(&SessionsStub::Delete, request, {seen.id}, call).status();
}

absl::Status Sessions::Evict(const std::string& id, const CallOptions& call) const {
  v1::EvictSessionRequest request;
  request.set_session_id(id);
  return calls_->Ask(&SessionsStub::Evict, request, {id}, call).status();
}

}  // namespace aaren::client
