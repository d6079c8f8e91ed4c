#include "server/rpc/caller.h"

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "grpcpp/security/auth_context.h"
#include "server/session/refusal.h"

namespace aaren::rpc {
namespace {

constexpr absl::string_view kBearer = "Bearer ";

absl::string_view ViewOf(grpc::string_ref text) { return {text.data(), text.size()}; }

// A token that is not known is not made up for by a certificate.
std::optional<identity::Caller> ByToken(absl::string_view authorization, const identity::Roster& roster) {
  if (!absl::StartsWithIgnoreCase(authorization, kBearer)) return std::nullopt;
  return roster.FindToken(absl::StripAsciiWhitespace(authorization.substr(kBearer.size())));
}

std::optional<identity::Caller> ByCertificate(const grpc::AuthContext& context, const identity::Roster& roster) {
  if (!context.IsPeerAuthenticated()) return std::nullopt;
  for (const char* property : {"x509_subject_alternative_name", "x509_common_name"}) {
    for (const grpc::string_ref& name : context.FindPropertyValues(property)) {
      if (auto caller = roster.FindName(ViewOf(name))) return caller;
    }
  }
  return std::nullopt;
}

std::optional<identity::Caller> Find(const grpc::ServerContext& context, const identity::Roster& roster) {
  const auto authorization = context.client_metadata().find("authorization");
  if (authorization != context.client_metadata().end()) return ByToken(ViewOf(authorization->second), roster);
  return ByCertificate(*context.auth_context(), roster);
}

}  // namespace

session::Outcome<identity::Caller> CallerOf(const grpc::ServerContext& context, const identity::RosterFile* roster,
                                            identity::Role least, int64_t now_ns) {
  session::Outcome<identity::Caller> outcome;
  if (roster == nullptr) return outcome;
  const std::optional<identity::Caller> caller = Find(context, *roster->Get(now_ns));
  if (!caller) {
    outcome.refusal = session::Unauthenticated();
  } else if (caller->role < least) {
    outcome.refusal = session::PermissionDenied(identity::NameOf(caller->role), identity::NameOf(least));
  } else {
    outcome.value = *caller;
  }
  return outcome;
}

}  // namespace aaren::rpc
