#include "server/net/rpc/streams/membership.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/net/rpc/caller.h"

namespace aaren::rpc {
namespace {

constexpr size_t kSmallHeaders = 4 << 10;  // always fit: streams and connections are limited, too

// gRPC 1.51 keeps some 140 bytes beside each field of a header, and the field twice.
size_t HeaderBytes(const grpc::ServerContext& context) {
  constexpr size_t kField = 140;
  size_t bytes = 0;
  for (const auto& [name, value] : context.client_metadata()) bytes += kField + 2 * (name.size() + value.size());
  return bytes;
}

}  // namespace

Membership::~Membership() {
  if (tenant_place_ != nullptr) tenant_place_->streams.Give();
  commons_.headers.Give(header_bytes_);
  if (number_ == 0) return;
  commons_.table.Remove(number_, peer_);
  commons_.counters.closed.Add(1);
}

std::optional<session::Refusal> Membership::Join(Stream& stream, const grpc::ServerContext& context) {
  peer_ = context.peer();
  if (auto refusal = FindCaller(context)) {
    commons_.counters.strangers.Add(1);
    return refusal;
  }
  if (auto refusal = TakePlaces(context)) {
    commons_.counters.refused.Add(1);
    return refusal;
  }
  number_ = commons_.table.Add(stream, peer_);
  commons_.counters.opened.Add(1);
  joined_ = commons_.host.clock.Now();
  return std::nullopt;
}

std::optional<session::Refusal> Membership::FindCaller(const grpc::ServerContext& context) {
  session::Outcome<identity::Caller> caller =
      CallerOf(context, commons_.host.callers, identity::Role::kStream, commons_.host.clock);
  if (caller.refusal) return std::move(caller.refusal);
  caller_ = std::move(caller.value);
  return std::nullopt;
}

std::optional<session::Refusal> Membership::TakePlaces(const grpc::ServerContext& context) {
  if (identity::Account* account = caller_.account; account != nullptr) {
    if (!account->streams.TryTake()) {
      account->NoteLimited(identity::Account::Limit::kStreams);
      return session::TooManyStreams(*account);
    }
    tenant_place_ = account;
  }
  if (!commons_.table.MayHaveMore(peer_)) {
    return session::OverQuota("streams", "the connection has more streams than it may have", absl::Seconds(1));
  }
  const size_t header_bytes = HeaderBytes(context);
  if (header_bytes > kSmallHeaders && header_bytes > commons_.headers.half_of_free()) {
    return session::OverQuota("headers", "the headers of streams that are open here hold too much", absl::Seconds(1));
  }
  commons_.headers.Take(header_bytes);
  header_bytes_ = header_bytes;
  const size_t most = commons_.host.limits.streams;
  if (commons_.table.streams().size() < most) return std::nullopt;
  return session::OverQuota("streams", absl::StrCat(most, " streams are open here, which is the limit"),
                            absl::Seconds(1));
}

std::optional<session::Refusal> Membership::WhyStruckOut(const identity::Callers::Known& callers, absl::Time wall) {
  const std::optional<identity::Caller> caller = callers.Still(caller_, wall);
  if (!caller.has_value() || caller->tenant != caller_.tenant) return session::StruckOut();
  if (caller->role < identity::Role::kStream) {
    return session::PermissionDenied(identity::NameOf(caller->role), identity::NameOf(identity::Role::kStream));
  }
  caller_.role = caller->role;
  return std::nullopt;
}

}  // namespace aaren::rpc
