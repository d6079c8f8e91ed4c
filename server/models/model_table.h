#ifndef AAREN_SERVER_MODELS_MODEL_TABLE_H_
#define AAREN_SERVER_MODELS_MODEL_TABLE_H_

// The ModelTable holds the models that a server has loaded, and says which one a name means.
//
//   Add ──► offered ──Retire──► retiring ──Unload, once nobody holds it──► gone
//              ▲                    │
//              └───────Offer────────┘
//
// New sessions get models that are offered. A session stays with its package for life, so it finds a retiring one too,
// by digest. README.md has the life of a model.
//
// Threading: any thread may call everything. It locks, so it is not on a token's path.

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
#include "server/models/loaded_model.h"
#include "server/models/model_labels.h"

namespace aaren::models {

// A folder of a package that is not served: it is being loaded, or was refused.
struct PendingPackage {
  std::string folder;
  std::string refusal;  // empty: it is being loaded
};

class ModelTable {
 public:
  // Adds a model, which is offered at once. AlreadyExists if its name:version is taken, be it by one that retires. The
  // first added is the default.
  // `other_tier`, if there is one, is for sessions that began in that tier.
  absl::Status Add(package::ModelPackage package, std::unique_ptr<engine::Engine> engine,
                   std::unique_ptr<engine::Engine> other_tier = nullptr);

  // Makes what the name means, now and later, the default. NotFound.
  absl::Status SetDefault(const std::string& name);

  void SetLabels(ModelLabels labels);
  ModelLabels labels() const;

  // The model of "name:version" or "name@label"; the default of "". Of "name" it is the version labelled stable, else
  // the latest. But a label may have a share of new sessions, chosen by `session_key`, and they get its version.
  // NotFound names what is there.
  absl::StatusOr<ModelRef> Find(const std::string& name, absl::string_view session_key = {}) const;

  // The model whose package has this digest, be it offered or retiring; null if none.
  ModelRef FindDigest(const std::string& digest) const;

  // As above, in that tier.
  ModelRef FindDigest(const std::string& digest, const std::string& tier) const;

  // From now on it is not offered; it is again. Nothing if there is none with this digest.
  void Retire(const std::string& digest);
  void Offer(const std::string& digest);

  // Forgets those that retire and that nobody holds: their names. What they took is freed before it returns.
  std::vector<std::string> Unload();

  bool any_retiring() const { return retiring_.load(std::memory_order_relaxed) > 0; }

  ModelRef default_model() const;        // null: there is no model
  std::vector<ModelRef> models() const;  // retiring ones too, in order of name, then version
  std::vector<ModelRef> tiers() const;   // as above, each followed by its other tier if it has one

  // What the folder holds beside the models; for those who ask.
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
  int FreeIndex(int taken) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  Models models_ ABSL_GUARDED_BY(mutex_);                                           // in order of name, then version
  std::string first_ ABSL_GUARDED_BY(mutex_), first_name_ ABSL_GUARDED_BY(mutex_);  // of the first added
  std::string default_ ABSL_GUARDED_BY(mutex_);                                     // as set; empty: the first added
  ModelLabels labels_ ABSL_GUARDED_BY(mutex_);
  std::vector<PendingPackage> pending_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int> retiring_{0};
  counters::Counter failures_;
};

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_MODEL_TABLE_H_
