#include "server/models/model_table.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace aaren::models {
namespace {

namespace fs = std::filesystem;

bool ByNameThenVersion(const std::unique_ptr<LoadedModel>& a, const std::unique_ptr<LoadedModel>& b) {
  return std::tie(a->package.name, a->package.version) < std::tie(b->package.name, b->package.version);
}

// The folders directly under `folder`, in order of name.
absl::StatusOr<std::vector<std::string>> FoldersIn(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> folders;
  fs::directory_iterator next(folder, error);
  for (; !error && next != fs::directory_iterator(); next.increment(error)) {
    if (next->is_directory(error)) folders.push_back(next->path().string());
  }
  if (error) return absl::NotFoundError(absl::StrCat("models folder '", folder, "': ", error.message()));
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

absl::Status ModelTable::Add(package::ModelPackage package, std::unique_ptr<engine::Engine> engine) {
  auto model = std::make_unique<LoadedModel>();
  model->id = absl::StrCat(package.name, ":", package.version);
  for (const auto& other : models_) {
    if (other->id == model->id)
      return absl::AlreadyExistsError(absl::StrCat("model '", model->id, "' is loaded twice"));
  }
  model->package = std::move(package);
  model->package.tensors.clear();
  model->engine = std::move(engine);
  model->conversion = task::NewConversion(model->package);
  if (default_ == nullptr) default_ = model.get();
  models_.insert(std::upper_bound(models_.begin(), models_.end(), model, ByNameThenVersion), std::move(model));
  for (size_t i = 0; i < models_.size(); ++i) models_[i]->index = static_cast<int>(i);
  return absl::OkStatus();
}

absl::Status ModelTable::LoadFolder(const std::string& folder, const std::string& engine_name) {
  absl::StatusOr<std::vector<std::string>> folders = FoldersIn(folder);
  if (!folders.ok()) return folders.status();
  if (folders->empty()) return absl::NotFoundError(absl::StrCat("no model package in '", folder, "'"));
  for (const std::string& path : *folders) {
    absl::StatusOr<package::ModelPackage> package = package::LoadPackage(path);
    if (!package.ok()) return package.status();
    absl::StatusOr<std::unique_ptr<engine::Engine>> engine = OpenEngine(engine_name, *package);
    if (!engine.ok()) return engine.status();
    if (absl::Status status = Add(*std::move(package), *std::move(engine)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ModelTable::SetDefault(const std::string& name) {
  const absl::StatusOr<const LoadedModel*> model = Find(name);
  if (!model.ok()) return model.status();
  default_ = *model;
  return absl::OkStatus();
}

absl::StatusOr<const LoadedModel*> ModelTable::Find(const std::string& name) const {
  if (name.empty() && default_ != nullptr) return default_;
  const LoadedModel* latest = nullptr;  // versions of a name come in ascending order
  for (const auto& model : models_) {
    if (model->id == name || model->package.name == name) latest = model.get();
  }
  if (latest != nullptr) return latest;
  const auto id = [](std::string* out, const std::unique_ptr<LoadedModel>& model) { out->append(model->id); };
  return absl::NotFoundError(
      absl::StrCat("no model '", name.substr(0, 128), "'; there are: ", absl::StrJoin(models_, ", ", id)));
}

const LoadedModel* ModelTable::FindDigest(const std::string& digest) const {
  for (const auto& model : models_) {
    if (model->package.digest == digest) return model.get();
  }
  return nullptr;
}

}  // namespace aaren::models
