#ifndef AAREN_SERVER_SESSIONS_MODELS_MODEL_TABLE_H_
#define AAREN_SERVER_SESSIONS_MODELS_MODEL_TABLE_H_

// The ModelTable holds the loaded models of a server, and finds a model by name.
//
//   Add ──► offered ──Retire──► retiring ──Unload, once nobody holds it──► gone
//              ▲                    │
//              └───────Offer────────┘
//
// New sessions get offered models. A session stays with a package for life, and finds a retiring model by digest, too.
// README.md has the life of a model.
//
// Threading: any thread may call every method. Methods lock, and are not on a token's path.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "model/engine/engine.h"
#include "model/package/package.h"
#include "server/sessions/models/loaded_model.h"
#include "server/sessions/models/model_labels.h"

namespace aaren::models {

// A folder with an unserved package: loading, or refused.
struct PendingPackage {
  std::string folder;
  std::string refusal;  // empty: loading
};

class ModelTable {
 public:
  // Adds and offers a model. AlreadyExists if the name:version is taken, even by a retiring model. The first forecaster
  // added is the default, else the first model. `others` are engines for sessions of further tiers.
  absl::Status Add(package::ModelPackage package, std::unique_ptr<engine::Engine> engine,
                   std::vector<std::unique_ptr<engine::Engine>> others = {});

  // Makes the model meant by the name, now and later, the default. NotFound.
  absl::Status SetDefault(const std::string& name);

  void SetLabels(ModelLabels labels);
  ModelLabels labels() const;

  // The model of "name:version" or "name@label"; the default for "". For "name" the version labelled stable, else the
  // latest. A label may have a share of new sessions, chosen by `session_key`, to get the label's version. NotFound
  // names the loaded models.
  absl::StatusOr<ModelRef> Find(const std::string& name, absl::string_view session_key = {}) const;

  // The model of the package with the digest, offered or retiring; null: none.
  ModelRef FindDigest(const std::string& digest) const;

  // The same, in the tier; the tiers of extensions (engine/tier.h) are made on demand.
  ModelRef FindDigest(const std::string& digest, const std::string& tier) const;

  // Retire ends the offer, Offer renews the offer. Without a model of the digest both do nothing.
  void Retire(const std::string& digest);
  void Offer(const std::string& digest);

  // Forgets retiring models without holders, frees the memory, and returns the names.
  std::vector<std::string> Unload();

  bool any_retiring() const { return retiring_.load(std::memory_order_relaxed) > 0; }

  ModelRef default_model() const;        // null: no model
  std::vector<ModelRef> models() const;  // with retiring models, in order of name and version
  std::vector<ModelRef> tiers() const;   // models(), each followed by the model's further tiers

  // The bytes of the largest row of a session of any model, in any tier, made or not.
  size_t LargestRow() const;

  // The folder's unserved packages, for lists.
  void SetPending(std::vector<PendingPackage> pending);
  std::vector<PendingPackage> pending() const;
  counters::Counter& failures() { return failures_; }  // the loader's thread alone writes
  const counters::Counter& failures() const { return failures_; }

 private:
  using Models = std::vector<std::shared_ptr<LoadedModel>>;
  ModelRef Default(absl::string_view session_key) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  ModelRef Offered(absl::string_view id) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  ModelRef Latest(absl::string_view name, int but) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  ModelRef OfName(const std::string& name, absl::string_view session_key) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  ModelRef Meant(const std::string& name, absl::string_view session_key) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void SetRetiring(const std::string& digest, bool retiring) ABSL_LOCKS_EXCLUDED(mutex_);
  ModelRef OfTier(const std::shared_ptr<LoadedModel>& model, const std::string& tier) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int FreeIndex(int taken) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  Models models_ ABSL_GUARDED_BY(mutex_);                                           // in order of name and version
  std::string first_ ABSL_GUARDED_BY(mutex_), first_name_ ABSL_GUARDED_BY(mutex_);  // the first model's, see Add
  std::string default_ ABSL_GUARDED_BY(mutex_);                                     // empty: the first added
  ModelLabels labels_ ABSL_GUARDED_BY(mutex_);
  std::vector<PendingPackage> pending_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int> retiring_{0};
  counters::Counter failures_;
};

}  // namespace aaren::models

#endif  // AAREN_SERVER_SESSIONS_MODELS_MODEL_TABLE_H_
