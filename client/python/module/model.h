#ifndef AAREN_CLIENT_PYTHON_MODULE_MODEL_H_
#define AAREN_CLIENT_PYTHON_MODULE_MODEL_H_

// A Model is a package in memory with one engine, and Rows are one session's rows as bytes of the session. So a session
// belongs to no thread: a worker takes the rows into the worker's lane, steps the rows and gives them back (worker.h).
//
// Threading: Python's global interpreter lock guards the workers at rest, and Take and Give are called under the lock.
// So a process may fork at any time. The rest of a Model is constant.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/python/module/worker.h"
#include "model/engine/engine.h"
#include "model/engine/tier.h"
#include "model/package/package.h"

namespace aaren::python {

class Model {
 public:
  // The package in `folder`, of a kind that package.h names. `device` is auto, cpu or cuda; `auto` takes a GPU where
  // one serves, and neither events nor a tier other than exact have a GPU. InvalidArgument for another device, tier or
  // kind, and every error of LoadPackage, NewCpuEngine and NewCudaEngine.
  static absl::StatusOr<std::shared_ptr<Model>> Load(const std::string& folder, const std::string& device,
                                                     const std::string& tier, const std::string& kind);

  // A model of the same weights for series with covariates. InvalidArgument for 0 covariates, or for more than the
  // engine takes. REQUIRES: the tier is extended.
  absl::StatusOr<std::shared_ptr<Model>> Extended(const engine::Extension& extension) const;

  const package::ModelPackage& package() const { return package_; }
  const engine::Engine& engine() const { return *engine_; }
  const std::string& device() const { return device_; }
  size_t horizon() const { return static_cast<size_t>(package_.config.horizon); }
  size_t quantiles() const { return package_.config.quantiles.size(); }
  size_t covariates() const { return covariates_; }  // each token's, future ones included
  size_t future() const { return future_; }

  // A worker at rest, or a new worker. REQUIRES: the caller holds the interpreter's lock.
  std::unique_ptr<Worker> Take();
  void Give(std::unique_ptr<Worker> worker) { resting_.push_back(std::move(worker)); }

 private:
  Model(package::ModelPackage package, std::unique_ptr<engine::Engine> engine, std::string device);

  package::ModelPackage package_;
  std::unique_ptr<engine::Engine> engine_;
  std::string device_;
  size_t covariates_ = 0, future_ = 0;
  std::vector<std::unique_ptr<Worker>> resting_;
};

class Rows {
 public:
  Rows(std::shared_ptr<Model> model, size_t channels);

  // A session of the same content.
  std::unique_ptr<Rows> Copy();

  // Takes the rows of a session with `seq` tokens. DataLoss, naming the field, if they are no rows of this model or
  // have another number of tokens; the session is then unchanged.
  absl::Status Restore(absl::string_view bytes, uint64_t seq);

  const std::shared_ptr<Model> model;
  const size_t channels;

  std::mutex mutex;              // held while a worker has the rows
  std::vector<std::byte> bytes;  // [channels, row_bytes], guarded by mutex, as is the next
  uint64_t seq = 0;              // tokens taken
};

}  // namespace aaren::python

#endif  // AAREN_CLIENT_PYTHON_MODULE_MODEL_H_
