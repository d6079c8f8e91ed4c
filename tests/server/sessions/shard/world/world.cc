#include "tests/server/sessions/shard/world/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "tests/server/store/blocking.h"

namespace aaren::shard {
namespace {

constexpr absl::Duration kPatience = absl::Minutes(1);

// Calls `work` until `done`; sleeps where a call found no work.
template <typename Work>
bool RepeatUntil(const std::function<bool()>& done, Work work) {
  const absl::Time deadline = absl::Now() + kPatience;
  while (!done()) {
    if (absl::Now() > deadline) return false;
    if (!work()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

}  // namespace

void ProbedStore::ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) {
  absl::MutexLock lock(&mutex_);
  if (!Health().ok()) return answer(Health());
  store_->ReserveEpochs(count, std::move(answer));
}

void ProbedStore::Find(std::string key, Answer<absl::StatusOr<store::SessionRecord>> answer) {
  absl::MutexLock lock(&mutex_);
  if (!Health().ok()) return answer(Health());
  if (key == damaged_) return answer(damage_);
  store_->Find(std::move(key), std::move(answer));
}

void ProbedStore::Load(std::string key, Answer<absl::StatusOr<store::SessionRecord>> answer) {
  absl::MutexLock lock(&mutex_);
  if (!Health().ok()) return answer(Health());
  ++loads_;
  if (key == damaged_ || key == damaged_rows_) return answer(damage_);
  if (key != damaged_save_.first) return store_->Load(std::move(key), std::move(answer));
  absl::StatusOr<store::SessionRecord> record = store::BlockingStore(*store_).Load(key);
  if (record.ok()) {
    record->damage = damage_;
    record->damaged_seq = damaged_save_.second;
    std::erase_if(record->saves, [&](const auto& save) { return save.point.seq == record->damaged_seq; });
  }
  answer(std::move(record));
}

void ProbedStore::Acquire(store::Acquisition acquisition, Answer<store::WriteResult> answer) {
  if (fail_next_acquire_.exchange(false)) return answer({absl::UnavailableError("told to fail"), 0});
  absl::MutexLock lock(&mutex_);
  if (!WriteHealth().ok()) return answer({WriteHealth(), 0});
  store_->Acquire(std::move(acquisition), std::move(answer));
}

void ProbedStore::Save(std::vector<store::SaveWrite> saves, Answer<std::vector<store::WriteResult>> answer) {
  absl::MutexLock lock(&mutex_);
  ++save_calls_;
  const absl::Status health = lose_answers_ ? absl::UnavailableError("told to lose answers") : WriteHealth();
  if (!health.ok()) {
    std::vector<store::WriteResult> results(saves.size(), {health, 0});
    if (lose_answers_) store_->Save(std::move(saves), [](const std::vector<store::WriteResult>&) {});
    return answer(std::move(results));
  }
  store_->Save(std::move(saves), std::move(answer));
}

void ProbedStore::Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<store::WriteResult> answer) {
  absl::MutexLock lock(&mutex_);
  if (!WriteHealth().ok()) return answer({WriteHealth(), 0});
  if (key == damaged_ && !held_epoch) damaged_.clear();
  store_->Delete(std::move(key), held_epoch, std::move(answer));
}

void ProbedStore::List(std::string prefix, std::string after, size_t limit,
                       Answer<absl::StatusOr<std::vector<store::SessionRecord>>> answer) {
  absl::MutexLock lock(&mutex_);
  if (on_list_) on_list_();
  if (!Health().ok()) return answer(Health());
  store_->List(std::move(prefix), std::move(after), limit, std::move(answer));
}

absl::StatusOr<store::SessionRecord> ProbedStore::Load(const std::string& key) {
  absl::MutexLock lock(&mutex_);
  return store::BlockingStore(*store_).Load(key);
}

absl::Status ProbedStore::Put(store::SessionRecord record) {
  absl::MutexLock lock(&mutex_);
  return store::BlockingStore(*store_).Put(std::move(record));
}

World::World(ShardOptions options, int shards, std::shared_ptr<ProbedStore> store,
             std::unique_ptr<models::ModelTable> models)
    : store_(store ? std::move(store) : std::make_shared<ProbedStore>()),
      models_(models                                        ? std::move(models)
              : std::getenv("AAREN_LATE_ENGINE") != nullptr ? LateModels()
                                                            : FakeModels()),
      registrar_(std::make_unique<registrar::Registrar>(*store_, *models_, clock_)) {
  for (int i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<SessionShard>(i, options, *models_, *registrar_, clock_));
    registrar_->AddShard(shards_.back()->owner());
    shards_.back()->Tick();
  }
  registrar_->Start();
}

World::~World() {
  registrar_.reset();
  shards_.clear();
  for (const LateEngine* engine : LateEnginesOf(*models_)) EXPECT_EQ(engine->broken(), "");
}

void World::HoldResults(bool hold) {
  for (LateEngine* engine : LateEnginesOf(*models_)) engine->Hold(hold);
}

bool World::FinishResults() {
  bool any = false;
  for (LateEngine* engine : LateEnginesOf(*models_)) any |= engine->FinishOne();
  return any;
}

bool World::RunOnce() {
  bool worked = false;
  for (const auto& shard : shards_) {
    worked |= shard->DrainMailbox();
    worked |= shard->Step() > 0 || shard->StepUnderWay();
  }
  return FinishResults() || worked;
}

bool World::DrainOnce() {
  bool worked = false;
  for (const auto& shard : shards_) worked |= shard->DrainMailbox();
  return worked;
}

bool World::RunUntil(const std::function<bool()>& done) {
  return RepeatUntil(done, [this] { return RunOnce(); });
}

bool World::DrainUntil(const std::function<bool()>& done) {
  return RepeatUntil(done, [this] { return DrainOnce(); });
}

void World::Settle() {
  // The registrar's answer shows that earlier calls have reached the shards, and a round ends when the shards are idle.
  // Four rounds cover the longest chain of calls outside a shard's Busy.
  for (int round = 0; round < 4; ++round) {
    Get("never opened by any test");
    RunUntil([this] {
      return std::none_of(shards_.begin(), shards_.end(), [](const auto& shard) { return shard->Busy(); });
    });
    while (RunOnce()) {
    }
  }
}

void World::Advance(absl::Duration duration) {
  clock_.Advance(duration);
  for (const auto& shard : shards_) shard->Tick();
  Settle();
}

void World::Open(FakePeer& peer, session::Handle handle, session::OpenRequest request, int shard) {
  shards_[shard]->Open(peer, handle, std::move(request));
  Settle();
}

void World::Send(FakePeer& peer, session::Handle handle, uint64_t first_seq, std::vector<float> values,
                 std::optional<uint64_t> delivered_seq, int shard) {
  session::TokensView tokens;
  tokens.handle = handle;
  tokens.first_seq = first_seq;
  tokens.values = values;
  tokens.delivered_seq = delivered_seq;
  shards_[shard]->Tokens(peer, tokens);
  Settle();
}

namespace {

// Calls method(done) and runs the world until the answer comes.
template <typename T, typename Method>
session::Outcome<T> Await(World& world, Method method) {
  // Shared: a late answer must not write to an ended frame.
  struct Answer {
    std::atomic<bool> there{false};
    session::Outcome<T> outcome;
  };
  auto answer = std::make_shared<Answer>();
  method([answer](session::Outcome<T> outcome) {
    answer->outcome = std::move(outcome);
    answer->there = true;
  });
  if (!world.RunUntil([&] { return answer->there.load(); })) {
    session::Outcome<T> none;
    none.refusal = session::Refusal{absl::DeadlineExceededError("no answer"), {}, {}, {}, {}, {}};
    return none;
  }
  return std::move(answer->outcome);
}

}  // namespace

session::Outcome<session::SessionInfo> World::Get(const std::string& id) {
  return Await<session::SessionInfo>(*this, [&](auto done) { registrar_->Get("", id, std::move(done)); });
}

session::Outcome<registrar::Snapshot> World::Export(const std::string& id) {
  return Await<registrar::Snapshot>(*this, [&](auto done) { registrar_->Export("", id, std::move(done)); });
}

session::Outcome<session::SessionInfo> World::Import(const std::string& id, const std::string& snapshot, bool replace) {
  return Import(id, {.snapshot = snapshot, .model = "", .over = {.replace = replace, .epoch = std::nullopt}});
}

session::Outcome<session::SessionInfo> World::Import(const std::string& id, registrar::ImportRequest request) {
  return Await<session::SessionInfo>(
      *this, [&](auto done) { registrar_->Import("", id, std::move(request), std::move(done)); });
}

session::Outcome<session::SessionInfo> World::Fork(const std::string& id, const std::string& new_id,
                                                   identity::Account* account) {
  return Await<session::SessionInfo>(*this,
                                     [&](auto done) { registrar_->Fork("", id, new_id, account, std::move(done)); });
}

session::Outcome<std::monostate> World::Evict(const std::string& id) {
  return Await<std::monostate>(*this, [&](auto done) { registrar_->Evict("", id, std::move(done)); });
}

session::Outcome<std::monostate> World::Delete(const std::string& id, std::optional<uint64_t> epoch) {
  return Await<std::monostate>(*this, [&](auto done) { registrar_->Delete("", id, epoch, std::move(done)); });
}

session::Outcome<registrar::SessionPage> World::List(const std::string& prefix, const std::string& page_token,
                                                     size_t page_size) {
  return Await<registrar::SessionPage>(
      *this, [&](auto done) { registrar_->List("", prefix, page_token, page_size, std::move(done)); });
}

session::OpenRequest Named(const std::string& id, std::optional<uint64_t> delivered_seq) {
  session::OpenRequest request;
  request.session_id = id;
  request.delivered_seq = delivered_seq;
  return request;
}

session::OpenRequest InMode(session::OpenMode mode) {
  session::OpenRequest request = Named("a");
  request.mode = mode;
  return request;
}

void Visit(World& world, const std::string& id) {
  FakePeer peer;
  world.Open(peer, 0, Named(id));
  world.Send(peer, 0, 0, Values(0, 5));
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
}

}  // namespace aaren::shard
