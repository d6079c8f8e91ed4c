#include "tests/server/simulation/cluster.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/cpu/cpu_engine.h"
#include "tests/server/simulation/series.h"

namespace aaren::simulation {

namespace {

// The answer, or a lost answer.
template <typename T>
store::StateStore::Answer<T> OrNobody(bool answered, store::StateStore::Answer<T> answer) {
  return answered ? std::move(answer) : [](T) {};
}

}  // namespace

void UnreliableStore::ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) {
  calls_.push_back([this, count, answer = std::move(answer)](bool answered) mutable {
    store_.ReserveEpochs(count, OrNobody(answered, std::move(answer)));
  });
}

void UnreliableStore::Find(std::string key, Answer<absl::StatusOr<store::SessionRecord>> answer) {
  calls_.push_back([this, key = std::move(key), answer = std::move(answer)](bool answered) mutable {
    store_.Find(std::move(key), OrNobody(answered, std::move(answer)));
  });
}

void UnreliableStore::Load(std::string key, Answer<absl::StatusOr<store::SessionRecord>> answer) {
  calls_.push_back([this, key = std::move(key), answer = std::move(answer)](bool answered) mutable {
    auto then = OrNobody(answered, std::move(answer));
    if (Refuses(key)) return then(absl::UnavailableError("the store is told to fail"));
    store_.Load(std::move(key), std::move(then));
  });
}

bool UnreliableStore::Refuses(const std::string& key) {
  if (reliable_ || !fate_.OneIn(50)) return false;
  fate_.Tell("store    fails a call for ", key);
  return true;
}

void UnreliableStore::Acquire(store::Acquisition acquisition, Answer<store::WriteResult> answer) {
  calls_.push_back([this, acquisition = std::move(acquisition), answer = std::move(answer)](bool answered) mutable {
    const store::SessionRecord& record = acquisition.record;
    auto then = OrNobody(answered, std::move(answer));
    if (Refuses(record.key)) return then({absl::UnavailableError("the store is told to fail"), 0});
    fate_.Tell("store    ", record.key, " acquired at epoch ", record.epoch, " after ", acquisition.held_epoch);
    store_.Acquire(std::move(acquisition), std::move(then));
  });
}

void UnreliableStore::Save(std::vector<store::SaveWrite> saves, Answer<std::vector<store::WriteResult>> answer) {
  calls_.push_back([this, saves = std::move(saves), answer = std::move(answer)](bool answered) mutable {
    std::vector<store::WriteResult> results(saves.size());
    for (size_t i = 0; i < saves.size(); ++i) {
      const store::SessionHeader& header = saves[i].header;
      fate_.Tell("store    ", header.key, " epoch ", header.epoch, " at seq ", saves[i].save.point.seq,
                 saves[i].keep_seq ? absl::StrCat(", keeps ", *saves[i].keep_seq) : "", ", delivered ",
                 header.delivered_seq);
      if (Refuses(header.key)) {
        results[i].status = absl::UnavailableError("the store is told to fail");
        continue;
      }
      std::vector<store::SaveWrite> one;
      one.push_back(std::move(saves[i]));
      store_.Save(std::move(one), [&](std::vector<store::WriteResult> written) { results[i] = std::move(written[0]); });
    }
    OrNobody(answered, std::move(answer))(std::move(results));
  });
}

void UnreliableStore::Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<store::WriteResult> answer) {
  calls_.push_back([this, key = std::move(key), held_epoch, answer = std::move(answer)](bool answered) mutable {
    fate_.Tell("store    ", key, " deleted");
    store_.Delete(std::move(key), held_epoch, OrNobody(answered, std::move(answer)));
  });
}

void UnreliableStore::List(std::string prefix, std::string after, size_t limit,
                           Answer<absl::StatusOr<std::vector<store::SessionRecord>>> answer) {
  calls_.push_back([this, prefix = std::move(prefix), after = std::move(after), limit,
                    answer = std::move(answer)](bool answered) mutable {
    store_.List(std::move(prefix), std::move(after), limit, OrNobody(answered, std::move(answer)));
  });
}

void UnreliableStore::Turn() {
  if (calls_.empty()) return;
  auto call = std::move(calls_.front());
  calls_.pop_front();
  call(/*answered=*/true);
}

void UnreliableStore::Crash() {
  for (uint64_t done = fate_.Draw(calls_.size() + 1); done > 0; --done) {
    auto call = std::move(calls_.front());
    calls_.pop_front();
    call(/*answered=*/false);
  }
  calls_.clear();
}

Cluster::Cluster(Fate& fate, const shard::ShardOptions& options, int shards)
    : fate_(fate),
      options_(options),
      count_(shards),
      store_(fate),
      models_(fate.OneIn(2) ? shard::LateModels() : shard::FakeModels()),
      late_(!shard::LateEnginesOf(*models_).empty()) {
  for (const int version : {1, 2}) {
    AddModel(EventModel(), version);
    AddModel(NetworkModel(), version);
  }
  late_engines_ = shard::LateEnginesOf(*models_);
  Start();
}

Cluster::~Cluster() {
  store_.Crash();
  registrar_.reset();
}

void Cluster::Start() {
  // In every second life rows travel a session at a time.
  const size_t transit_bytes = life_ % 2 == 0 ? 1 : 64 << 20;
  registrar_ = std::make_unique<registrar::Registrar>(store_, *models_, fate_, transit_bytes);
  for (int i = 0; i < count_; ++i) {
    shards_.push_back(std::make_unique<shard::SessionShard>(i, options_, *models_, *registrar_, fate_));
    registrar_->AddShard(shards_.back()->owner());
    shards_.back()->Tick();
  }
}

void Cluster::Kill() {
  fate_.Tell("server   is killed");
  store_.Crash();
  registrar_.reset();
  shards_.clear();
  ++life_;
  Start();
}

void Cluster::Disconnect(int shard, session::Peer& peer) {
  if (shards_[shard]->StepUnderWay()) ++cut_;
  shards_[shard]->Disconnect(peer);
}

Cluster::Late Cluster::late() const {
  const Late now = LateOfModels();
  return {late_before_.finished + now.finished, late_before_.awaited + now.awaited, cut_};
}

Cluster::Late Cluster::LateOfModels() const {
  Late late;
  for (const shard::LateEngine* engine : late_engines_) {
    late.finished += engine->counts().finished;
    late.awaited += engine->counts().awaited;
  }
  return late;
}

// A version of a model retires, or is offered again, at any moment. New sessions get another version meanwhile, or for
// the default of the table another model, with the same forecasts. An unloaded version was unused: the replacing
// version finds everything in place.
void Cluster::ChangeModels() {
  const auto digest = [](const char* name, int version) { return absl::StrCat("digest-", name, "-", version); };
  const auto retiring = [this](const std::string& id) { return models_->FindDigest(id)->retiring.load(); };
  const char* const name = std::array{"sum", "wide", "events"}[fate_.Draw(3)];
  const int version = fate_.OneIn(2) ? 1 : 2;
  const std::string changed = digest(name, version);
  // Opens name "wide" and "events": both must always have a version on offer.
  const bool needed = name != absl::string_view("sum") && retiring(digest(name, 3 - version));
  retiring(changed) ? models_->Offer(changed) : needed ? void() : models_->Retire(changed);
  late_engines_ = shard::LateEnginesOf(*models_);
  const Late before = LateOfModels();
  const std::vector<std::string> unloaded = models_->Unload();
  if (unloaded.empty()) return;
  late_engines_ = shard::LateEnginesOf(*models_);
  const Late left = LateOfModels();
  late_before_.finished += before.finished - left.finished;
  late_before_.awaited += before.awaited - left.awaited;
  for (const std::string& id : unloaded) AddAgain(id);
  late_engines_ = shard::LateEnginesOf(*models_);
  unloaded_ += unloaded.size();
}

void Cluster::AddAgain(const std::string& id) {
  fate_.Tell("model    ", id, " is unloaded");
  const std::string name = id.substr(0, id.find(':'));
  const int version = std::stoi(id.substr(id.find(':') + 1));
  if (name == EventModel().name) return AddModel(EventModel(), version);
  if (name == NetworkModel().name) return AddModel(NetworkModel(), version);
  package::ModelPackage package;
  package.name = name;
  package.version = version;
  package.config = shard::FakeEngine::Config();
  package.digest = absl::StrCat("digest-", name, "-", version);
  if (!models_->Add(std::move(package), MaybeLate(std::make_unique<shard::FakeEngine>())).ok()) {
    fate_.Accuse(id, " is still there");
  }
}

// All versions of a package have the same weights and forecasts.
void Cluster::AddModel(package::ModelPackage package, int version) {
  package.version = version;
  package.digest = absl::StrCat("digest-", package.name, "-", version);
  const auto engine_of = [&](engine::Tier tier) { return MaybeLate(*engine::NewCpuEngine(package, tier)); };
  std::vector<std::unique_ptr<engine::Engine>> others;
  if (package.kind == package::kForecaster) others.push_back(engine_of(engine::Tier::kExtended));
  auto engine = engine_of(engine::Tier::kExact);
  const std::string name = package.name;
  if (!models_->Add(std::move(package), std::move(engine), std::move(others)).ok()) {
    fate_.Accuse(name, ":", version, " is refused");
  }
}

std::unique_ptr<engine::Engine> Cluster::MaybeLate(std::unique_ptr<engine::Engine> engine) const {
  return late_ ? std::make_unique<shard::LateEngine>(std::move(engine)) : std::move(engine);
}

void Cluster::FinishLate() {
  late_engines_ = shard::LateEnginesOf(*models_);  // sessions with covariates add engines
  for (const shard::LateEngine* engine : late_engines_) {
    if (!engine->broken().empty()) fate_.Accuse("a shard ", engine->broken());
  }
  late_engines_[fate_.Draw(late_engines_.size())]->FinishOne();
}

void Cluster::Turn() {
  if (fate_.OneIn(100)) ChangeModels();
  if (late_ && fate_.OneIn(4)) return FinishLate();
  const uint64_t whose = fate_.Draw(shards_.size() * 3 + 4);
  if (whose < 2) {
    registrar_->Drain(1 + fate_.Draw(3));
    return;
  }
  if (whose < 4) return store_.Turn();
  shard::SessionShard& shard = *shards_[(whose - 4) / 3];
  switch ((whose - 4) % 3) {
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
  return store_.idle() && std::none_of(shards_.begin(), shards_.end(), [](const auto& shard) { return shard->Busy(); });
}

}  // namespace aaren::simulation
