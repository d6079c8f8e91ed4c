#include "server/operate/admin/shard_list.h"

#include <vector>

namespace aaren::admin {
namespace {

// Levels are written in turn: two levels may be of different moments.
uint64_t Less(uint64_t all, uint64_t part) { return all > part ? all - part : 0; }

void FillSessions(const shard::ShardCounters& counters, v1::ShardInfo& info) {
  info.set_sessions_attached(counters.sessions_attached.value());
  info.set_sessions_resting(Less(counters.sessions_resident.value(), counters.sessions_attached.value()));
  info.set_sessions_demoted(counters.sessions_demoted.value());
  info.set_sessions_stalled(counters.sessions_stalled.value());
  info.set_streams(counters.streams.value());
}

void FillWork(const shard::ShardCounters& counters, v1::ShardInfo& info) {
  info.set_queued_tokens(counters.queued_tokens.value());
  info.set_queued_bytes(counters.queued_bytes.value());
  info.set_held_bytes(counters.held_bytes.value());
  info.set_slice_tokens(counters.slice_tokens.value());
  info.set_slice_us(counters.slice_ns.value() / 1000);
}

// A model that left a shard and came back has two blocks, the first block empty.
void FillRows(const models::LoadedModel& model, v1::ListShardsResponse& response) {
  model.counters.ForEach([&](const models::ModelCounters& counters) {
    const uint64_t capacity = counters.rows_capacity.value(), used = counters.rows_used.value();
    if (capacity == 0 || counters.shard >= response.shards_size()) return;
    v1::ModelRows& rows = *response.mutable_shards(counters.shard)->add_rows();
    rows.set_model(model.id);
    rows.set_used(used);
    rows.set_free(Less(capacity, used));
    rows.set_row_bytes(model.engine->row_bytes());
    rows.set_tier(model.engine->tier());
  });
}

}  // namespace

void FillShards(const rpc::Server& server, const models::ModelTable& models, const BusyShares& busy,
                v1::ListShardsResponse& response) {
  const std::vector<const shard::ShardCounters*> counters = server.shard_counters();
  const std::vector<const rpc::StreamCounters*> streams = server.stream_counters();
  for (int i = 0; i < server.shards(); ++i) {
    const auto index = static_cast<size_t>(i);
    v1::ShardInfo& info = *response.add_shards();
    info.set_shard(static_cast<uint32_t>(i));
    FillSessions(*counters[index], info);
    FillWork(*counters[index], info);
    info.set_unread_bytes(streams[index]->unread_bytes.value());
    info.set_busy(busy.share(i));
    info.set_round_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(server.round(i))));
  }
  for (const models::ModelRef& model : models.tiers()) FillRows(*model, response);
}

}  // namespace aaren::admin
