#ifndef AAREN_SERVER_MODELS_MODEL_TABLE_H_
#define AAREN_SERVER_MODELS_MODEL_TABLE_H_

// The ModelTable holds the models a server has loaded, each with the engine that runs it. Filled at start, constant
// afterwards: pointers into it stay good for the server's life, and any thread may read it.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/package/package.h"
#include "server/models/open_engine.h"
#include "server/task/conversion.h"

namespace aaren::models {

struct LoadedModel {
  package::ModelPackage package;  // the tensors are dropped once the engine has packed them
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<const task::Conversion> conversion;
  std::string id;  // "name:version"
  int index = 0;   // position in the table
};

class ModelTable {
 public:
  // Adds a model. AlreadyExists if its name:version is taken. The first added is the default.
  absl::Status Add(package::ModelPackage package, std::unique_ptr<engine::Engine> engine);

  // Loads every package folder directly under `folder`, each with an engine of this name (open_engine.h). NotFound if
  // there is none; the first bad package is the error.
  absl::Status LoadFolder(const std::string& folder, const std::string& engine = kDefaultEngine);

  // Makes "name" or "name:version" the default. NotFound.
  absl::Status SetDefault(const std::string& name);

  // The model of "name:version", the latest version of "name", or the default for "". NotFound naming what is there.
  absl::StatusOr<const LoadedModel*> Find(const std::string& name) const;

  // The model whose package has this digest; null if none.
  const LoadedModel* FindDigest(const std::string& digest) const;

  const LoadedModel* default_model() const { return default_; }
  const std::vector<std::unique_ptr<LoadedModel>>& models() const { return models_; }

 private:
  std::vector<std::unique_ptr<LoadedModel>> models_;  // in order of name, then version
  const LoadedModel* default_ = nullptr;
};

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_MODEL_TABLE_H_
