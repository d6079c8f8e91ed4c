#include "server/net/rpc/caller.h"

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "grpcpp/security/auth_context.h"
#include "server/operate/log/log.h"
#include "server/sessions/session/refusal.h"

namespace aaren::rpc {
namespace {

constexpr absl::string_view kBearer = "Bearer ";

absl::string_view ViewOf(grpc::string_ref text) { return {text.data(), text.size()}; }

// The token that a caller shows.
struct Claim {
  absl::string_view token;
  bool has_token = false;  // perhaps of another kind than is known here
};

// With several headers, a proxy may have checked another than the first: then none counts.
Claim ClaimOf(const grpc::ServerContext& context) {
  const auto [authorization, end] = context.client_metadata().equal_range("authorization");
  if (authorization == end) return {};
  if (std::next(authorization) != end) return {.token = "", .has_token = true};
  const absl::string_view text = ViewOf(authorization->second);
  if (!absl::StartsWithIgnoreCase(text, kBearer)) return {.token = "", .has_token = true};
  return {.token = absl::StripAsciiWhitespace(text.substr(kBearer.size())), .has_token = true};
}

std::optional<identity::Caller> ByCertificate(const grpc::AuthContext& context, const identity::Callers& callers) {
  if (!context.IsPeerAuthenticated()) return std::nullopt;
  for (const char* property : {"x509_subject_alternative_name", "x509_common_name"}) {
    for (const grpc::string_ref& name : context.FindPropertyValues(property)) {
      if (auto caller = callers.FindName(ViewOf(name))) return caller;
    }
  }
  return std::nullopt;
}

// A certificate does not make up for an unknown token. The error is for the log.
absl::StatusOr<identity::Caller> Find(const grpc::ServerContext& context, const Claim& claim,
                                      const identity::Callers& callers, const session::Clock& clock) {
  if (claim.has_token && claim.token.empty())
    return absl::UnauthenticatedError("its token is of another kind, or empty, or it has several");
  if (claim.has_token) return callers.FindToken(claim.token, clock.NowNanos(), clock.Wall());
  std::optional<identity::Caller> caller = ByCertificate(*context.auth_context(), callers);
  if (!caller) return absl::UnauthenticatedError("it has no token");
  return *std::move(caller);
}

// The log never shows the token, even a wrong one: a mistyped token is nearly somebody's. The log bounds its lines.
void LogFailure(const grpc::ServerContext& context, const absl::Status& why) {
  log::Log(log::LogLevel::kWarning, "caller not known",
           {{"peer", NormalPeer(context.peer())}, {"reason", std::string(why.message())}});
}

}  // namespace

std::string NormalPeer(absl::string_view peer) {
  if (!absl::ConsumePrefix(&peer, "ipv4:")) absl::ConsumePrefix(&peer, "ipv6:");
  std::string name = absl::StrReplaceAll(peer, {{"%5B", "["}, {"%5D", "]"}, {"%5b", "["}, {"%5d", "]"}, {"%25", "%"}});
  const size_t zone = name.find('%'), end = name.find(']');
  if (zone < end && end != std::string::npos) name.erase(zone, end - zone);
  return name;
}

session::Outcome<identity::Caller> CallerOf(const grpc::ServerContext& context, const identity::Callers* callers,
                                            identity::Role least, const session::Clock& clock) {
  session::Outcome<identity::Caller> outcome;
  if (callers == nullptr) return outcome;
  absl::StatusOr<identity::Caller> caller = Find(context, ClaimOf(context), *callers, clock);
  if (!caller.ok()) {
    LogFailure(context, caller.status());
    const bool unchecked = absl::IsResourceExhausted(caller.status());
    outcome.refusal = unchecked ? session::TooManyAttempts() : session::Unauthenticated();
  } else if (caller->role < least) {
    outcome.refusal = session::PermissionDenied(identity::NameOf(caller->role), identity::NameOf(least));
  } else {
    outcome.value = *std::move(caller);
  }
  return outcome;
}

std::optional<session::Refusal> StillMayCall(const identity::Caller& caller, const identity::Callers* callers,
                                             identity::Role least, const session::Clock& clock) {
  if (callers == nullptr) return std::nullopt;
  const std::optional<identity::Caller> now = callers->Get().Still(caller, clock.Wall());
  if (!now || now->tenant != caller.tenant) return session::StruckOut();
  if (now->role < least) return session::PermissionDenied(identity::NameOf(now->role), identity::NameOf(least));
  return std::nullopt;
}

}  // namespace aaren::rpc
