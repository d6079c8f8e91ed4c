#include "server/sessions/session/record.h"

#include <utility>

namespace aaren::session {

store::SessionOrigin OriginOf(const models::LoadedModel& model, uint32_t channels) {
  const auto numerics = static_cast<uint32_t>(engine::NumericsVersion(model.package.kind));
  return {model.id, model.package.digest, model.engine->tier(), numerics, channels};
}

store::SessionRecord RecordOf(const std::string& key, const SessionState& state) {
  store::SessionRecord record;
  record.key = key;
  record.epoch = state.epoch;
  record.incarnation = state.incarnation;
  record.origin = OriginOf(*state.model, state.channels);
  record.delivered_seq = state.delivered_seq;
  record.attempt = state.attempt;
  return record;
}

std::string EmptyRows(const models::LoadedModel& model, uint32_t channels) {
  const size_t row_bytes = model.engine->row_bytes();
  std::string rows(channels * row_bytes, '\0');
  for (uint32_t channel = 0; channel < channels; ++channel) {
    model.engine->ResetRow({reinterpret_cast<std::byte*>(rows.data()) + channel * row_bytes, row_bytes});
  }
  return rows;
}

uint64_t NewestSeq(const store::SessionRecord& record) {
  return record.saves.empty() ? 0 : record.saves.back().point.seq;
}

store::SavedRows NewestSave(store::SessionRecord& record, const models::LoadedModel& model) {
  if (!record.saves.empty()) return std::move(record.saves.back());
  store::SavedRows empty;
  empty.rows = EmptyRows(model, record.origin.channels);
  return empty;
}

}  // namespace aaren::session
