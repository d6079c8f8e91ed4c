// The answer to a unary call chosen by the first byte: every resulting value is possible.

#include <cmath>

#include "client/cpp/messages/admin_values.h"
#include "client/cpp/messages/claims.h"
#include "client/cpp/messages/rpc_status.h"
#include "client/cpp/messages/values.h"
#include "google/rpc/status.pb.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

template <typename Message>
auto Value(absl::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) message.Clear();
  return client::ToValue(message, "HOST:1");
}

void RunStatus(absl::string_view bytes) {
  google::rpc::Status message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const absl::Status status = client::FromProto(message, "HOST:1");
  Must(!status.ok(), "a failure is OK");
  (void)client::ErrorReason(status);
  const auto delay = client::RetryDelay(status);
  Must(!delay || (*delay > absl::ZeroDuration() && *delay <= absl::Hours(1)), "a wait that is none, or for ever");
}

void RunShards(absl::string_view bytes) {
  const auto shards = Value<v1::ListShardsResponse>(bytes);
  if (!shards.ok()) return;
  for (const client::ShardInfo& shard : *shards) {
    Must(shard.busy >= 0 && shard.busy <= 1, "a share that is none");
    Must(shard.round >= absl::ZeroDuration() && shard.slice >= absl::ZeroDuration(), "a time below none");
  }
}

void RunModels(absl::string_view bytes) {
  const auto list = Value<v1::ListModelsResponse>(bytes);
  if (!list.ok()) return;
  Must(list->uses.size() == list->models.size(), "a use of no model");
  for (const client::ModelInfo& model : list->models) {
    Must(!model.quantiles.empty() && model.horizon > 0 && model.horizon <= client::kMaxHorizon, "a model of nothing");
  }
}

void RunSessions(absl::string_view bytes) {
  const auto page = Value<v1::ListSessionsResponse>(bytes);
  if (!page.ok()) return;
  for (const client::SessionInfo& session : page->sessions) {
    Must(!session.id.empty() && session.next_seq <= client::kMaxSeq, "a session that cannot be");
  }
}

}  // namespace

void RunAnswer(absl::string_view bytes) {
  if (bytes.empty()) return;
  const char kind = bytes.front();
  bytes.remove_prefix(1);
  if (kind == 's') RunSessions(bytes);
  if (kind == 'm') RunModels(bytes);
  if (kind == 'd') RunShards(bytes);
  if (kind == 'e') RunStatus(bytes);
  if (kind == 't') (void)Value<v1::ListStreamsResponse>(bytes);
  if (kind == 'l') (void)Value<v1::ListTenantSessionsResponse>(bytes);
  if (kind == 'p') (void)Value<v1::ProfileResponse>(bytes);
  if (kind == 'w') (void)Value<v1::WatchSessionResponse>(bytes);
}

}  // namespace aaren::fuzz
