#include "server/rpc/caller.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "grpcpp/security/auth_context.h"
#include "server/accept/peer_name.h"
#include "server/log/log.h"
#include "server/session/refusal.h"

namespace aaren::rpc {
namespace {

constexpr absl::string_view kBearer = "Bearer ";

absl::string_view ViewOf(grpc::string_ref text) { return {text.data(), text.size()}; }

// What the caller says of itself.
struct Claim {
  absl::string_view token;
  bool has_token = false;  // perhaps of another kind than is known here
};

Claim ClaimOf(const grpc::ServerContext& context) {
  const auto authorization = context.client_metadata().find("authorization");
  if (authorization == context.client_metadata().end()) return {};
  const absl::string_view text = ViewOf(authorization->second);
  if (!absl::StartsWithIgnoreCase(text, kBearer)) return {.token = "", .has_token = true};
  return {.token = absl::StripAsciiWhitespace(text.substr(kBearer.size())), .has_token = true};
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

// One that has not been known while many of its host were not. It is not hashed.
bool IsTooMany(const grpc::ServerContext& context, const Claim& claim, const identity::Attempts& attempts,
               int64_t now_ns) {
  if (!claim.has_token || attempts.hosts() == 0 || attempts.Remembers(claim.token)) return false;
  return attempts.AreTooMany(accept::HostOf(accept::NormalPeer(context.peer())), now_ns);
}

// A token that is not known is not made up for by a certificate.
std::optional<identity::Caller> Find(const grpc::ServerContext& context, const Claim& claim,
                                     const identity::RosterFile& file, int64_t now_ns) {
  const std::shared_ptr<const identity::Roster> roster = file.Get(now_ns);
  if (!claim.has_token) return ByCertificate(*context.auth_context(), *roster);
  std::optional<identity::Caller> caller;
  if (!claim.token.empty()) caller = roster->FindToken(claim.token);
  if (caller) file.attempts().Remember(claim.token, caller->known_by);
  return caller;
}

// The token is nobody's business, be it a wrong one: a letter less, and it may be somebody's.
void NoteFailure(const grpc::ServerContext& context, const Claim& claim, identity::Attempts& attempts, int64_t now_ns) {
  const std::string peer = accept::NormalPeer(context.peer());
  attempts.NoteFailure(accept::HostOf(peer), now_ns);
  log::Log(log::LogLevel::kWarning, "caller not known",
           {{"peer", peer}, {"reason", claim.has_token ? "its token is not in the list" : "it has no token"}});
}

}  // namespace

session::Outcome<identity::Caller> CallerOf(const grpc::ServerContext& context, const identity::RosterFile* roster,
                                            identity::Role least, int64_t now_ns) {
  session::Outcome<identity::Caller> outcome;
  if (roster == nullptr) return outcome;
  const Claim claim = ClaimOf(context);
  if (IsTooMany(context, claim, roster->attempts(), now_ns)) {
    outcome.refusal = session::TooManyAttempts();
    return outcome;
  }
  std::optional<identity::Caller> caller = Find(context, claim, *roster, now_ns);
  if (!caller) {
    NoteFailure(context, claim, roster->attempts(), now_ns);
    outcome.refusal = session::Unauthenticated();
  } else if (caller->role < least) {
    outcome.refusal = session::PermissionDenied(identity::NameOf(caller->role), identity::NameOf(least));
  } else {
    outcome.value = *std::move(caller);
  }
  return outcome;
}

}  // namespace aaren::rpc
