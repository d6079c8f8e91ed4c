#include "server/net/rpc/services/sessions_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/net/rpc/messages/convert.h"
#include "server/sessions/session/refusal.h"

namespace aaren::rpc {
namespace {

constexpr uint32_t kDefaultPage = 100;
constexpr uint32_t kMaxPage = 1000;

// The registrar's answer, turned into the method's by `fill(value, response)`.
template <typename Value, typename Response, typename Fill>
registrar::Sessions::Callback<Value> Answer(absl::AnyInvocable<void(session::Outcome<Response>)> reply, Fill fill) {
  return [reply = std::move(reply), fill](session::Outcome<Value> outcome) mutable {
    session::Outcome<Response> answer{.refusal = std::move(outcome.refusal)};
    if (!answer.refusal.has_value()) fill(std::move(outcome.value), answer.value);
    reply(std::move(answer));
  };
}

constexpr auto kFillInfo = [](const session::SessionInfo& session, v1::SessionInfo& info) {
  FillSessionInfo(session, info);
};

void FillPage(registrar::SessionPage page, v1::ListSessionsResponse& response) {
  for (const session::SessionInfo& session : page.sessions) FillSessionInfo(session, *response.add_sessions());
  response.set_next_page_token(std::move(page.next_page_token));
}

void FillSnapshot(registrar::Snapshot snapshot, v1::ExportSessionResponse& response) {
  response.set_snapshot(std::move(snapshot.bytes));
  response.set_next_seq(snapshot.next_seq);
}

template <typename Reply>
void List(registrar::Sessions& sessions, const identity::Caller& caller, const v1::ListSessionsRequest& request,
          Reply reply) {
  if (request.page_size() > kMaxPage) {
    const std::string problem = absl::StrCat(request.page_size(), " is more than ", kMaxPage);
    return reply({.refusal = session::InvalidField("page_size", problem)});
  }
  sessions.List(caller.tenant, request.prefix(), request.page_token(),
                request.page_size() == 0 ? kDefaultPage : request.page_size(),
                Answer<registrar::SessionPage, v1::ListSessionsResponse>(std::move(reply), FillPage));
}

}  // namespace

void ServeSessions(HeadersFirstService& service, UnaryHost& host, registrar::Sessions& sessions) {
  UnaryCall<v1::GetSessionRequest, v1::SessionInfo>::Serve(
      service, "Get", host, identity::Role::kRead,
      [&sessions](const identity::Caller& caller, const v1::GetSessionRequest& request, auto reply) {
        sessions.Get(caller.tenant, request.session_id(),
                     Answer<session::SessionInfo, v1::SessionInfo>(std::move(reply), kFillInfo));
      });
  UnaryCall<v1::ListSessionsRequest, v1::ListSessionsResponse>::Serve(
      service, "List", host, identity::Role::kRead,
      [&sessions](const identity::Caller& caller, const v1::ListSessionsRequest& request, auto reply) {
        List(sessions, caller, request, std::move(reply));
      });
  UnaryCall<v1::ExportSessionRequest, v1::ExportSessionResponse>::Serve(
      service, "Export", host, identity::Role::kAdmin,
      [&sessions](const identity::Caller& caller, const v1::ExportSessionRequest& request, auto reply) {
        sessions.Export(caller.tenant, request.session_id(),
                        Answer<registrar::Snapshot, v1::ExportSessionResponse>(std::move(reply), FillSnapshot));
      });
  UnaryCall<v1::ImportSessionRequest, v1::SessionInfo>::Serve(
      service, "Import", host, identity::Role::kAdmin,
      [&sessions](const identity::Caller& caller, const v1::ImportSessionRequest& request, auto reply) {
        registrar::ImportRequest import{
            request.snapshot(), request.model(), {request.replace(), std::nullopt, caller.account}};
        if (request.has_epoch()) import.over.epoch = request.epoch();
        sessions.Import(caller.tenant, request.session_id(), std::move(import),
                        Answer<session::SessionInfo, v1::SessionInfo>(std::move(reply), kFillInfo));
      },
      {.bytes = host.limits.import_bytes, .fields = kSmallRequest.fields});
  UnaryCall<v1::ForkSessionRequest, v1::SessionInfo>::Serve(
      service, "Fork", host, identity::Role::kAdmin,
      [&sessions](const identity::Caller& caller, const v1::ForkSessionRequest& request, auto reply) {
        sessions.Fork(caller.tenant, request.session_id(), request.new_session_id(), caller.account,
                      Answer<session::SessionInfo, v1::SessionInfo>(std::move(reply), kFillInfo));
      });
  UnaryCall<v1::DeleteSessionRequest, v1::DeleteSessionResponse>::Serve(
      service, "Delete", host, identity::Role::kAdmin,
      [&sessions](const identity::Caller& caller, const v1::DeleteSessionRequest& request, auto reply) {
        const std::optional<uint64_t> epoch = request.has_epoch() ? std::make_optional(request.epoch()) : std::nullopt;
        sessions.Delete(caller.tenant, request.session_id(), epoch,
                        Answer<std::monostate, v1::DeleteSessionResponse>(std::move(reply), [](auto&&...) {}));
      });
  UnaryCall<v1::EvictSessionRequest, v1::EvictSessionResponse>::Serve(
      service, "Evict", host, identity::Role::kAdmin,
      [&sessions](const identity::Caller& caller, const v1::EvictSessionRequest& request, auto reply) {
        sessions.Evict(caller.tenant, request.session_id(),
                       Answer<std::monostate, v1::EvictSessionResponse>(std::move(reply), [](auto&&...) {}));
      });
}

}  // namespace aaren::rpc
