#ifndef AAREN_SERVER_MODELS_MODEL_WATCH_H_
#define AAREN_SERVER_MODELS_MODEL_WATCH_H_

// A ModelWatch keeps a ModelTable like a folder of packages, while others serve from it.
//
//   a folder appears      its files rest from one look to the next ─► loaded, checked, warmed up ─► offered
//   it is broken          refused by name; what is offered stays. Tried again when its files change
//   it disappears         its model retires, and is unloaded once nobody holds it
//   the file `labels`     read again when it has changed and rests; one that is wrong changes nothing
//
// Threading: Load before Start, once. From then on its own thread looks, at a low priority, since it shares the
// machine with those that serve. Tests call Look instead.

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/models/model_table.h"
#include "server/models/open_engine.h"

namespace aaren::models {

class ModelWatch {
 public:
  // `models` outlives this. `engine`, `tier`: as for OpenEngines.
  ModelWatch(ModelTable& models, std::string folder, std::string engine = kDefaultEngine,
             engine::Tier tier = engine::Tier::kExact);
  ~ModelWatch();  // waits for a package that is being loaded

  // Loads what is there now. If nothing of it can be served: why not the first.
  absl::Status Load();

  void Start(absl::Duration period);

  void Look();

 private:
  struct Package {
    std::string fingerprint;  // at the last look
    bool tried = false;       // as it was then
    std::string digest;       // of the model that it was when it could be loaded; empty: never
    absl::Status refusal;
    bool seen = true;  // in this look
  };

  void LookAtLabels(bool wait_for_rest);
  void LookAtFolders(bool wait_for_rest);
  void Try(const std::string& path, Package& package);
  absl::Status LoadInto(const std::string& path, Package& package);
  void Replace(Package& package, const std::string& digest);
  void RetireUnlessElsewhere(const std::string& digest);
  void Forget();
  void UnloadUnused();
  void Publish(const std::string& loading);
  void Refused(const std::string& what, const absl::Status& why);
  void Run(absl::Duration period);

  ModelTable& models_;
  const std::string folder_;
  const std::string engine_;
  const engine::Tier tier_;
  std::map<std::string, Package> packages_;  // by path
  std::string labels_seen_, labels_read_;    // their fingerprints: at the last look; when they were read
  bool folder_missing_ = false;
  std::mutex mutex_;  // not Abseil's: that waits by the wall clock, which may be set back
  std::condition_variable stop_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;     // none before Start
};

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_MODEL_WATCH_H_
