#ifndef AAREN_SERVER_SESSIONS_MODELS_MODEL_WATCH_H_
#define AAREN_SERVER_SESSIONS_MODELS_MODEL_WATCH_H_

// A ModelWatch keeps a ModelTable equal to a folder of packages, while the server serves from the table.
//
//   a folder appears      its files rest from one look to the next ─► loaded, checked, warmed up ─► offered
//   no model.json is in   left alone, with a word in the log, until a model.json comes
//   a folder is broken    refused by name; offered models stay. Tried again when the files change
//   a folder disappears   the model retires, and is unloaded once nobody holds it
//   the file `labels`     read again once changed and at rest, or where a disk failed; a wrong file changes nothing
//
// Threading: Load before Start, once. From then on the watch's own thread looks, at a low priority, since the serving
// threads share the machine. Tests call Look instead.

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/models/open_engine.h"

namespace aaren::models {

class ModelWatch {
 public:
  // `models` outlives the watch. `engine`, `tier`: as for OpenEngines.
  ModelWatch(ModelTable& models, std::string folder, std::string engine = kDefaultEngine,
             engine::Tier tier = engine::Tier::kExact);
  ~ModelWatch();  // waits for a package being loaded

  // Loads the present packages. If none can be served: the error of the first.
  absl::Status Load();

  void Start(absl::Duration period);

  void Look();

 private:
  struct Package {
    std::string fingerprint;  // at the last look
    bool tried = false;       // with this fingerprint
    std::string digest;       // the loaded model's; empty: never loaded
    absl::Status refusal;
    bool seen = true;  // by this look
  };

  void LookAtLabels(bool wait_for_rest);
  void RefuseLabels(const std::string& path, const absl::Status& why);
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
  std::map<std::string, Package> packages_;      // by path
  std::string labels_seen_;                      // fingerprint at the last look
  std::optional<std::string> labels_read_ = "";  // fingerprint when the labels were read; none: to be read again
  absl::Status labels_refusal_;
  bool folder_missing_ = false;
  std::mutex mutex_;  // not Abseil's: waits of absl::Mutex go by the wall clock, which may be set back
  std::condition_variable stop_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;     // none before Start
};

}  // namespace aaren::models

#endif  // AAREN_SERVER_SESSIONS_MODELS_MODEL_WATCH_H_
