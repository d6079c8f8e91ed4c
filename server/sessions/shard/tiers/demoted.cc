#include "server/sessions/shard/tiers/demoted.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace aaren::shard {
namespace {

constexpr size_t kTailAt = 52;  // right behind the last member, in the padding
static_assert(sizeof(Demoted) == 56);

constexpr size_t kBesideCell = 24;  // 8 to 10 bytes in the handle table, some 12 in the DemotedTable

constexpr size_t kTimesBytes = 2 * sizeof(int64_t);  // regular_start_ns and regular_step_ns

size_t CostOf(const Demoted& demoted) { return CellPool::Rounded(demoted.bytes()) + kBesideCell; }

template <typename Small>
bool Fits(uint64_t value) {
  return value <= static_cast<uint64_t>(std::numeric_limits<Small>::max());
}

// A client may claim more replies than were sent. Beyond two thousand million the difference does not matter.
int32_t Undelivered(uint64_t seq, uint64_t delivered) {
  constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
  const auto distance = static_cast<int32_t>(std::min(delivered <= seq ? seq - delivered : delivered - seq, kMost));
  return delivered <= seq ? distance : -distance;
}

}  // namespace

// No claim of a client keeps the session in memory: further sessions would wait for the row.
bool Demoted::CanHold(const session::Session& session) {
  const uint64_t seq = session.point.seq, delivered = session.tracks_delivery ? session.delivered_seq : seq;
  return Fits<uint32_t>(seq - session.durable_seq) && (delivered > seq || Fits<int32_t>(seq - delivered)) &&
         Fits<uint16_t>(session.channels) && BytesFor(session) <= CellPool::kLargest;
}

size_t Demoted::BytesFor(const session::Session& session) {
  return kTailAt + (session.regular_times ? kTimesBytes : 0) + session.key.view().size();
}

Demoted::Demoted(const session::Session& session)
    : session::Binding(Kind::kDemoted),
      refusing(session.refusing),
      tracks_delivery(session.tracks_delivery),
      regular_times(session.regular_times),
      every_token(session.SavesEveryToken()),
      promoting(false),
      key_bytes(static_cast<uint16_t>(session.key.view().size())),
      handle(session.handle),
      stream(session.stream),
      plan(session.plan),
      epoch(session.epoch),
      seq(session.point.seq),
      undurable(static_cast<uint32_t>(session.point.seq - session.durable_seq)),
      undelivered(Undelivered(session.point.seq, session.delivered_seq)),
      model(static_cast<uint16_t>(session.model->index)),
      channels(static_cast<uint16_t>(session.channels)) {}

char* Demoted::tail() { return reinterpret_cast<char*>(this) + kTailAt; }
const char* Demoted::tail() const { return reinterpret_cast<const char*>(this) + kTailAt; }

absl::string_view Demoted::key() const { return {tail() + (regular_times ? kTimesBytes : 0), key_bytes}; }

size_t Demoted::bytes() const { return kTailAt + (regular_times ? kTimesBytes : 0) + key_bytes; }

void Demoted::OnDelivered(uint64_t delivered_seq) {
  tracks_delivery = true;
  const uint64_t before = seq - static_cast<uint64_t>(int64_t{undelivered});
  if (delivered_seq > before) undelivered = Undelivered(seq, delivered_seq);
  if (delivered_seq >= seq) undurable = 0;
}

void Demoted::Restore(session::Session& session) const {
  session.refusing = refusing;
  session.tracks_delivery = tracks_delivery;
  session.regular_times = regular_times;
  session.durability = every_token ? session::SessionDurability::kEveryToken : session::SessionDurability::kInterval;
  if (regular_times) {
    std::memcpy(&session.regular_start_ns, tail(), sizeof(int64_t));
    std::memcpy(&session.regular_step_ns, tail() + sizeof(int64_t), sizeof(int64_t));
  }
  session.plan = plan;
  session.epoch = epoch;
  session.delivered_seq = seq - static_cast<uint64_t>(int64_t{undelivered});
  session.durable_seq = durable_seq();
  session.pending_seq = undurable > 0 ? seq : session::Session::kNoSave;
}

DemotedTable::~DemotedTable() {
  while (!by_key_.empty()) Remove(**by_key_.begin());
}

Demoted& DemotedTable::Add(const session::Session& session) {
  auto* demoted = new (cells_.Allocate(Demoted::BytesFor(session))) Demoted(session);
  char* to = demoted->tail();
  if (session.regular_times) {
    std::memcpy(to, &session.regular_start_ns, sizeof(int64_t));
    std::memcpy(to + sizeof(int64_t), &session.regular_step_ns, sizeof(int64_t));
    to += kTimesBytes;
  }
  const absl::string_view key = session.key.view();
  std::memcpy(to, key.data(), key.size());
  by_key_.insert(demoted);
  if (budget_ != nullptr) budget_->Take(memory::MemoryBudget::Use::kSessions, CostOf(*demoted));
  return *demoted;
}

void DemotedTable::Remove(Demoted& demoted) {
  if (budget_ != nullptr) budget_->Give(memory::MemoryBudget::Use::kSessions, CostOf(demoted));
  by_key_.erase(by_key_.find(demoted.key()));
  const size_t bytes = demoted.bytes();
  demoted.~Demoted();
  cells_.Free(&demoted, bytes);
}

Demoted* DemotedTable::Find(absl::string_view key) const {
  if (by_key_.empty()) return nullptr;
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : *found;
}

}  // namespace aaren::shard
