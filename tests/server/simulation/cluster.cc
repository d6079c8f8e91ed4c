#include "tests/server/simulation/cluster.h"

#include <algorithm>
#include <utility>

namespace aaren::simulation {

absl::Status UnreliableStore::Save(SessionRecord record) {
  if (!reliable_ && fate_.OneIn(50)) {
    fate_.Tell("store    refuses a save of ", record.key);
    return absl::UnavailableError("the store is told to fail");
  }
  if (!record.saves.empty()) {
    fate_.Tell("store    ", record.key, " epoch ", record.epoch, " at seq ", record.saves.back().point.seq,
               record.saves.size() > 1 ? absl::StrCat(", keeps ", record.saves.front().point.seq) : "", ", delivered ",
               record.delivered_seq);
  }
  return MemoryStore::Save(std::move(record));
}

Cluster::Cluster(Fate& fate, const ShardOptions& options, int shards)
    : fate_(fate), options_(options), count_(shards), store_(fate) {
  Start();
}

Cluster::~Cluster() { registrar_.reset(); }

void Cluster::Start() {
  registrar_ = std::make_unique<Registrar>(store_, *models_, fate_);
  for (int i = 0; i < count_; ++i) {
    shards_.push_back(std::make_unique<SessionShard>(i, options_, *models_, *registrar_, fate_));
    registrar_->AddShard(*shards_.back());
    shards_.back()->Tick();
  }
}

void Cluster::Kill() {
  fate_.Tell("server   is killed");
  registrar_.reset();
  shards_.clear();
  ++life_;
  Start();
}

void Cluster::Turn() {
  const uint64_t whose = fate_.Draw(shards_.size() * 3 + 2);
  if (whose < 2) {
    registrar_->Drain(1 + fate_.Draw(3));
    return;
  }
  SessionShard& shard = *shards_[(whose - 2) / 3];
  switch ((whose - 2) % 3) {
    case 0:
      shard.DrainMailbox(1 + fate_.Draw(3));
      break;
    case 1:
      shard.Step();
      break;
    default:
      shard.Tick();
  }
}

bool Cluster::Idle() const {
  return std::none_of(shards_.begin(), shards_.end(), [](const auto& shard) { return shard->Busy(); });
}

}  // namespace aaren::simulation
