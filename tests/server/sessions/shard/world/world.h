#ifndef AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_WORLD_H_
#define AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_WORLD_H_

// A World has all layers below the rpc layer. The test's own thread runs the shards, and the registrar has a thread.
// Tests make the store fail, and only tests move the clock. FakePeers write down every event.
//
// With AAREN_LATE_ENGINE=1 in the environment the models are behind LateEngines: a test must hold with engines that
// finish at once, and with engines that finish late.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/registrar.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/shard/shard.h"
#include "server/store/memory_store.h"
#include "tests/server/sessions/shard/world/fake_engine.h"
#include "tests/server/sessions/shard/world/fake_peer.h"
#include "tests/server/sessions/shard/world/test_clock.h"

namespace aaren::shard {

// The given store, or a MemoryStore. Any thread may look at the records, and a test makes calls fail.
class ProbedStore : public store::StateStore {
 public:
  explicit ProbedStore(std::unique_ptr<store::StateStore> store = std::make_unique<store::MemoryStore>())
      : store_(std::move(store)) {}

  std::string name() const override { return "probed"; }
  bool shared() const override { return shared_; }
  void TryWrite(Answer<absl::Status> answer) override {
    if (absl::Status health = WriteHealth(); !health.ok()) return answer(health);
    absl::MutexLock lock(&mutex_);
    store_->TryWrite(std::move(answer));
  }
  void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) override;
  void Find(std::string key, Answer<absl::StatusOr<store::SessionRecord>> answer) override;
  void Load(std::string key, Answer<absl::StatusOr<store::SessionRecord>> answer) override;
  void Acquire(store::Acquisition acquisition, Answer<store::WriteResult> answer) override;
  void Save(std::vector<store::SaveWrite> saves, Answer<std::vector<store::WriteResult>> answer) override;
  void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<store::WriteResult> answer) override;
  void List(std::string prefix, std::string after, size_t limit,
            Answer<absl::StatusOr<std::vector<store::SessionRecord>>> answer) override;

  // Reads or replaces a stored record, for the test itself.
  absl::StatusOr<store::SessionRecord> Load(const std::string& key);
  absl::Status Put(store::SessionRecord record);

  // Reads of the session give the error `as`. REQUIRES, for all three functions: no call is under way.
  void Damage(std::string key, absl::Status as = absl::DataLossError("told to be damaged")) {
    damaged_ = std::move(key);
    damage_ = std::move(as);
  }
  void DamageRows(std::string key) { damaged_rows_ = std::move(key); }
  // The session has two saves, and the save at `seq` cannot be read.
  void DamageSave(std::string key, uint64_t seq) { damaged_save_ = {std::move(key), seq}; }
  uint64_t loads() const { return loads_; }              // reads of rows since the start
  uint64_t save_calls() const { return save_calls_; }    // since the start
  void FailSaves(bool fail) { fail_saves_ = fail; }      // and the writes of Opens
  void LoseAnswers(bool lose) { lose_answers_ = lose; }  // saves are done, and answered as if the store were away
  void FailAll(bool fail) { fail_all_ = fail; }
  void FailNextAcquire() { fail_next_acquire_ = true; }
  void OnList(std::function<void()> called) { on_list_ = std::move(called); }  // before each List
  void Share() { shared_ = true; }                                             // REQUIRES: no call is under way

 private:
  absl::Status Health() const { return fail_all_ ? absl::UnavailableError("told to fail") : absl::OkStatus(); }
  absl::Status WriteHealth() const { return fail_saves_ ? absl::UnavailableError("told to fail") : Health(); }

  absl::Mutex mutex_;
  const std::unique_ptr<store::StateStore> store_ ABSL_PT_GUARDED_BY(mutex_);
  std::string damaged_, damaged_rows_;
  std::pair<std::string, uint64_t> damaged_save_;
  absl::Status damage_ = absl::DataLossError("told to be damaged");
  std::atomic<uint64_t> loads_{0}, save_calls_{0};
  std::atomic<bool> fail_saves_{false}, lose_answers_{false}, fail_all_{false}, fail_next_acquire_{false};
  bool shared_ = false;
  std::function<void()> on_list_;
};

class World {
 public:
  explicit World(ShardOptions options = {}, int shards = 1, std::shared_ptr<ProbedStore> store = nullptr,
                 std::unique_ptr<models::ModelTable> models = nullptr);
  ~World();

  SessionShard& shard(int i = 0) { return *shards_[i]; }
  registrar::Registrar& registrar() { return *registrar_; }
  ProbedStore& store() { return *store_; }
  TestClock& clock() { return clock_; }
  std::shared_ptr<ProbedStore> shared_store() { return store_; }
  models::ModelTable& models() { return *models_; }
  FakeEngine& engine(const std::string& name = "sum:1") { return FakeEngineOf(*models_, name); }

  // Every LateEngine among the models keeps finished batches until a caller needs the results.
  void HoldResults(bool hold);

  // Every LateEngine finishes a batch. True if any LateEngine had a batch.
  bool FinishResults();

  // Runs the shards until the registrar and the shards have no work under way. REQUIRES: no results are held.
  void Settle();

  // Runs the shards until `done`; false after a minute.
  bool RunUntil(const std::function<bool()>& done);

  // Does what RunUntil does, but steps no tokens: waiting tokens go on waiting.
  bool DrainUntil(const std::function<bool()>& done);

  // Moves the clock, lets the shards tick, and settles.
  void Advance(absl::Duration duration);

  // Opens and settles. The answer is the peer's last event for the handle.
  void Open(FakePeer& peer, session::Handle handle, session::OpenRequest request, int shard = 0);

  // One item, one channel, stepped and settled.
  void Send(FakePeer& peer, session::Handle handle, uint64_t first_seq, std::vector<float> values,
            std::optional<uint64_t> delivered_seq = std::nullopt, int shard = 0);

  // Calls a unary method, and settles until the answer has come.
  session::Outcome<session::SessionInfo> Get(const std::string& id);
  session::Outcome<registrar::Snapshot> Export(const std::string& id);
  session::Outcome<session::SessionInfo> Import(const std::string& id, const std::string& snapshot, bool replace);
  session::Outcome<session::SessionInfo> Import(const std::string& id, registrar::ImportRequest request);
  session::Outcome<session::SessionInfo> Fork(const std::string& id, const std::string& new_id,
                                              identity::Account* account = nullptr);
  session::Outcome<std::monostate> Delete(const std::string& id, std::optional<uint64_t> epoch = std::nullopt);
  session::Outcome<std::monostate> Evict(const std::string& id);
  session::Outcome<registrar::SessionPage> List(const std::string& prefix, const std::string& page_token,
                                                size_t page_size);

 private:
  bool RunOnce();
  bool DrainOnce();
  absl::Time now() const { return clock_.Now(); }

  TestClock clock_;
  std::shared_ptr<ProbedStore> store_;
  std::unique_ptr<models::ModelTable> models_;
  std::vector<std::unique_ptr<SessionShard>> shards_;
  std::unique_ptr<registrar::Registrar> registrar_;
};

session::OpenRequest Named(const std::string& id, std::optional<uint64_t> delivered_seq = std::nullopt);

// Opens the session "a".
session::OpenRequest InMode(session::OpenMode mode);

// The interval of saves in most tests.
inline constexpr absl::Duration kInterval = absl::Milliseconds(500);

// Opens, sends five tokens, detaches, and lets an interval pass.
void Visit(World& world, const std::string& id);

}  // namespace aaren::shard

#endif  // AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_WORLD_H_
