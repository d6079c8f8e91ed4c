#ifndef AAREN_TESTS_SERVER_SIMULATION_CLUSTER_H_
#define AAREN_TESTS_SERVER_SIMULATION_CLUSTER_H_

// A Cluster is the server under simulation: the real registrar and shards, without threads. Each call of Turn lets one
// of them work for a moment; in between, messages wait in the mailboxes. Kill takes everything but the store, which may
// refuse a save now and then. In half of the runs the engines are late: a step's results come at any later turn.

#include <deque>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "server/sessions/registrar/registrar.h"
#include "server/sessions/shard/shard.h"
#include "server/store/memory_store.h"
#include "tests/server/sessions/shard/world/fake_engine.h"
#include "tests/server/simulation/fate.h"

namespace aaren::simulation {

// The store of a run: it outlives kills. It answers at any time, refuses a write now and then, and a kill finds calls
// under way, done or not.
class UnreliableStore : public store::StateStore {
 public:
  explicit UnreliableStore(Fate& fate) : fate_(fate) {}

  std::string name() const override { return "unreliable"; }
  void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) override;
  void Find(std::string key, Answer<absl::StatusOr<store::SessionRecord>> answer) override;
  void Load(std::string key, Answer<absl::StatusOr<store::SessionRecord>> answer) override;
  void Acquire(store::Acquisition acquisition, Answer<store::WriteResult> answer) override;
  void Save(std::vector<store::SaveWrite> saves, Answer<std::vector<store::WriteResult>> answer) override;
  void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<store::WriteResult> answer) override;
  void List(std::string prefix, std::string after, size_t limit,
            Answer<absl::StatusOr<std::vector<store::SessionRecord>>> answer) override;

  // Does the call that has waited longest, if any.
  void Turn();
  bool idle() const { return calls_.empty(); }

  // Does some of the calls under way, and answers none.
  void Crash();
  void set_reliable() { reliable_ = true; }

 private:
  bool Refuses(const std::string& key);

  Fate& fate_;
  store::MemoryStore store_;
  std::deque<absl::AnyInvocable<void(bool answered)>> calls_;
  bool reliable_ = false;
};

class Cluster {
 public:
  Cluster(Fate& fate, const shard::ShardOptions& options, int shards);
  ~Cluster();

  // Lets the registrar or a shard do a little.
  void Turn();

  // Everything ends at once and starts anew. REQUIRES: no peer is called any more (the streams are gone).
  void Kill();

  // No more refused saves.
  void Calm() { store_.set_reliable(); }

  int shards() const { return static_cast<int>(shards_.size()); }
  shard::SessionShard& shard(int i) { return *shards_[i]; }
  registrar::Registrar& registrar() { return *registrar_; }
  int life() const { return life_; }  // counts kills

  // The server notices that a client has gone.
  void Disconnect(int shard, session::Peer& peer);

  // Counts of late engines: batches done at a later turn, batches waited for, and streams cut during a
  // step.
  struct Late {
    uint64_t finished = 0, awaited = 0, cut = 0;
  };
  Late late() const;

  // How often a model was unloaded, and came again with a new engine.
  uint64_t unloaded() const { return unloaded_; }

  // True if nothing is under way.
  bool Idle() const;

 private:
  void Start();
  void FinishLate();
  void ChangeModels();
  void AddAgain(const std::string& id);
  void AddModel(package::ModelPackage package, int version);
  std::unique_ptr<engine::Engine> MaybeLate(std::unique_ptr<engine::Engine> engine) const;
  Late LateOfModels() const;

  Fate& fate_;
  const shard::ShardOptions options_;
  const int count_;
  UnreliableStore store_;
  const std::unique_ptr<models::ModelTable> models_;
  const bool late_;
  std::vector<shard::LateEngine*> late_engines_;
  Late late_before_;  // counts of ended engines
  uint64_t cut_ = 0, unloaded_ = 0;
  std::vector<std::unique_ptr<shard::SessionShard>> shards_;
  std::unique_ptr<registrar::Registrar> registrar_;
  int life_ = 0;
};

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_CLUSTER_H_
