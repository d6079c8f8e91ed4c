#include "tests/client/fake_services.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tests/client/fake_server.h"

namespace aaren {
namespace {

grpc::Status NoSession(const std::string& id) {
  google::rpc::ErrorInfo info;
  info.set_reason("SESSION_NOT_FOUND");
  google::rpc::Status details;
  details.set_code(5);
  details.add_details()->PackFrom(info);
  return {grpc::StatusCode::NOT_FOUND, absl::StrCat("no session \"", id, "\""), details.SerializeAsString()};
}

grpc::Status Taken(const std::string& id) { return {grpc::StatusCode::ALREADY_EXISTS, id}; }

template <typename Session>
void Describe(const std::string& id, const Session& session, v1::SessionInfo* info) {
  info->set_session_id(id);
  info->set_epoch(session.epoch);
  info->set_incarnation(session.incarnation);
  info->set_next_seq(session.next_seq);
  info->set_durable_seq(session.durable());
  info->set_delivered_seq(session.delivered);
  info->set_model("sum:3");
  info->set_channels(1);
  info->set_state_bytes(8);
  info->set_last_active_ms(1700000000123);
}

}  // namespace

v1::ModelInfo FakeModel() {
  v1::ModelInfo model;
  model.set_name("sum");
  model.set_version(3);
  model.set_horizon(2);
  model.set_far_horizon(4);
  model.add_quantiles(0.5f);
  model.set_row_bytes(8);
  model.set_description("a running sum");
  model.add_columns()->set_name("value");
  model.add_columns()->set_name("weather");
  model.mutable_columns(1)->set_role(v1::Column::KNOWN_FUTURE_COVARIATE);
  (*model.mutable_training())["seed"] = "7";
  return model;
}

grpc::Status FakeSessions::Get(grpc::ServerContext*, const v1::GetSessionRequest* request, v1::SessionInfo* response) {
  absl::MutexLock lock(&server_.mutex_);
  const auto found = server_.sessions_.find(request->session_id());
  if (found == server_.sessions_.end()) return NoSession(request->session_id());
  Describe(found->first, found->second, response);
  return grpc::Status::OK;
}

// A page token is the last id of the page before.
grpc::Status FakeSessions::List(grpc::ServerContext*, const v1::ListSessionsRequest* request,
                                v1::ListSessionsResponse* response) {
  const int page = request->page_size() == 0 ? 100 : static_cast<int>(request->page_size());
  absl::MutexLock lock(&server_.mutex_);
  for (auto it = server_.sessions_.upper_bound(request->page_token()); it != server_.sessions_.end(); ++it) {
    if (!absl::StartsWith(it->first, request->prefix())) continue;
    if (response->sessions_size() == page) {
      response->set_next_page_token(response->sessions(page - 1).session_id());
      break;
    }
    Describe(it->first, it->second, response->add_sessions());
  }
  return grpc::Status::OK;
}

grpc::Status FakeSessions::Export(grpc::ServerContext*, const v1::ExportSessionRequest* request,
                                  v1::ExportSessionResponse* response) {
  absl::MutexLock lock(&server_.mutex_);
  const auto found = server_.sessions_.find(request->session_id());
  if (found == server_.sessions_.end()) return NoSession(request->session_id());
  response->set_snapshot(absl::StrCat(found->second.sum, " ", found->second.next_seq));
  response->set_next_seq(found->second.next_seq);
  return grpc::Status::OK;
}

grpc::Status FakeSessions::Import(grpc::ServerContext*, const v1::ImportSessionRequest* request,
                                  v1::SessionInfo* response) {
  const std::vector<std::string> words = absl::StrSplit(request->snapshot(), ' ');
  FakeServer::Session session;
  if (words.size() != 2 || !absl::SimpleAtod(words[0], &session.sum) ||
      !absl::SimpleAtoi(words[1], &session.next_seq)) {
    return {grpc::StatusCode::DATA_LOSS, "the snapshot is altered"};
  }
  absl::MutexLock lock(&server_.mutex_);
  if (!request->replace() && server_.sessions_.count(request->session_id()) > 0) return Taken(request->session_id());
  session.epoch = session.incarnation = ++server_.epoch_;
  session.saves = {{session.next_seq, session.sum}};
  Describe(request->session_id(), session, response);
  server_.sessions_[request->session_id()] = std::move(session);
  return grpc::Status::OK;
}

grpc::Status FakeSessions::Fork(grpc::ServerContext*, const v1::ForkSessionRequest* request,
                                v1::SessionInfo* response) {
  absl::MutexLock lock(&server_.mutex_);
  const auto found = server_.sessions_.find(request->session_id());
  if (found == server_.sessions_.end()) return NoSession(request->session_id());
  FakeServer::Session copy = found->second;
  copy.epoch = copy.incarnation = ++server_.epoch_;
  Describe(request->new_session_id(), copy, response);
  if (!server_.sessions_.emplace(request->new_session_id(), std::move(copy)).second) {
    return Taken(request->new_session_id());
  }
  return grpc::Status::OK;
}

grpc::Status FakeSessions::Delete(grpc::ServerContext* context, const v1::DeleteSessionRequest* request,
                                  v1::DeleteSessionResponse*) {
  absl::MutexLock lock(&server_.mutex_);
  server_.NoteHeaders(*context);
  FakeServer& server = server_;
  const auto awake = [&server]()
                         ABSL_SHARED_LOCKS_REQUIRED(server.mutex_) { return !server.paused_ || server.stopping_; };
  server_.mutex_.Await(absl::Condition(&awake));
  return server_.sessions_.erase(request->session_id()) > 0 ? grpc::Status::OK : NoSession(request->session_id());
}

grpc::Status FakeModels::List(grpc::ServerContext*, const v1::ListModelsRequest*, v1::ListModelsResponse* response) {
  *response->add_models() = FakeModel();
  response->set_default_model("sum:3");
  return grpc::Status::OK;
}

grpc::Status FakeModels::Get(grpc::ServerContext*, const v1::GetModelRequest* request, v1::ModelInfo* response) {
  if (!request->model().empty() && request->model() != "sum" && request->model() != "sum:3") {
    return {grpc::StatusCode::NOT_FOUND, absl::StrCat("no model \"", request->model(), "\"")};
  }
  *response = FakeModel();
  return grpc::Status::OK;
}

}  // namespace aaren
