#include "server/sessions/models/model_table.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/engine/tier.h"
#include "server/operate/log/shown.h"

namespace aaren::models {
namespace {

constexpr size_t kMostModels = 256;  // each has its own metrics

std::shared_ptr<LoadedModel> Loaded(package::ModelPackage package, std::unique_ptr<engine::Engine> engine,
                                    const task::RowForm& rows) {
  auto model = std::make_shared<LoadedModel>();
  model->id = absl::StrCat(package.name, ":", package.version);
  model->package = std::move(package);
  model->engine = std::move(engine);
  model->conversion = task::NewConversion(model->package, rows);
  return model;
}

bool IsExtended(const engine::Engine& engine) { return engine.tier() == engine::NameOf(engine::Tier::kExtended); }

// True if anybody but the table holds a reference to the model in any tier.
bool Held(const std::shared_ptr<LoadedModel>& model) {
  return model.use_count() > 1 || std::any_of(model->other_tiers.begin(), model->other_tiers.end(), Held);
}

// Clients that name no model send values, so a model of another kind is the default only where no forecaster is.
bool Forecasts(const std::shared_ptr<LoadedModel>& model) { return model->package.kind == package::kForecaster; }

bool ByNameThenVersion(const std::shared_ptr<LoadedModel>& a, const std::shared_ptr<LoadedModel>& b) {
  return std::tie(a->package.name, a->package.version) < std::tie(b->package.name, b->package.version);
}

}  // namespace

absl::Status ModelTable::Add(package::ModelPackage package, std::unique_ptr<engine::Engine> engine,
                             std::vector<std::unique_ptr<engine::Engine>> others) {
  // The engines have packed the weights, and a second copy would take as much memory.
  package.tensors.clear();
  auto model = Loaded(package, std::move(engine), {});
  for (auto& other : others) {
    const bool extended = IsExtended(*other);
    model->extends |= extended;
    model->other_tiers.push_back(Loaded(package, std::move(other), {.extended = extended}));
  }
  for (const auto& other : model->other_tiers) other->extends = model->extends;
  absl::MutexLock lock(&mutex_);
  for (const auto& other : models_) {
    if (other->id == model->id)
      return absl::AlreadyExistsError(absl::StrCat("model '", model->id, "' is loaded twice"));
  }
  if (models_.size() >= kMostModels)
    return absl::ResourceExhaustedError(absl::StrCat("no more than ", kMostModels, " models at once"));
  std::vector<std::shared_ptr<LoadedModel>> added = {model};
  added.insert(added.end(), model->other_tiers.begin(), model->other_tiers.end());
  int index = -1;
  for (const auto& one : added) one->index = index = FreeIndex(index);
  if (models_.empty() || (Forecasts(model) && std::none_of(models_.begin(), models_.end(), Forecasts))) {
    std::tie(first_, first_name_) = std::tie(model->id, model->package.name);
  }
  models_.insert(std::upper_bound(models_.begin(), models_.end(), model, ByNameThenVersion), std::move(model));
  return absl::OkStatus();
}

// The smallest free index above `taken`: tables by index stay small.
int ModelTable::FreeIndex(int taken) const {
  int index = taken + 1;
  const auto has = [&index](const auto& model) { return model->index == index; };
  const auto any_has = [&](const auto& model) {
    return has(model) || std::any_of(model->other_tiers.begin(), model->other_tiers.end(), has);
  };
  while (std::any_of(models_.begin(), models_.end(), any_has)) ++index;
  return index;
}

absl::Status ModelTable::SetDefault(const std::string& name) {
  const absl::StatusOr<ModelRef> model = Find(name);
  if (!model.ok()) return model.status();
  absl::MutexLock lock(&mutex_);
  default_ = name;
  return absl::OkStatus();
}

void ModelTable::SetLabels(ModelLabels labels) {
  absl::MutexLock lock(&mutex_);
  labels_ = std::move(labels);
}

ModelLabels ModelTable::labels() const {
  absl::MutexLock lock(&mutex_);
  return labels_;
}

ModelRef ModelTable::Offered(absl::string_view id) const {
  for (const auto& model : models_) {
    if (model->id == id && !model->retiring) return model;
  }
  return nullptr;
}

// `but`: the version to avoid if another exists.
ModelRef ModelTable::Latest(absl::string_view name, int but) const {
  ModelRef latest, excepted;  // versions of a name come in ascending order
  for (const auto& model : models_) {
    if (model->package.name != name || model->retiring) continue;
    (model->package.version == but ? excepted : latest) = model;
  }
  return latest != nullptr ? latest : excepted;
}

ModelRef ModelTable::OfName(const std::string& name, absl::string_view session_key) const {
  const ModelLabel* shared = labels_.Shared(name);
  if (shared != nullptr && !session_key.empty() && DrawOf(session_key) < shared->share) {
    if (ModelRef model = Offered(absl::StrCat(name, ":", shared->version)); model != nullptr) return model;
  }
  if (const ModelLabel* stable = labels_.Find(name, kStable); stable != nullptr) {
    if (ModelRef model = Offered(absl::StrCat(name, ":", stable->version)); model != nullptr) return model;
  }
  // A version with a share gets no session beyond the share while another version is offered.
  return Latest(name, shared != nullptr ? shared->version : 0);
}

ModelRef ModelTable::Meant(const std::string& name, absl::string_view session_key) const {
  if (const size_t at = name.find('@'); at != std::string::npos) {
    const ModelLabel* label = labels_.Find(name.substr(0, at), name.substr(at + 1));
    return label != nullptr ? Offered(absl::StrCat(name.substr(0, at), ":", label->version)) : nullptr;
  }
  if (name.find(':') != std::string::npos) return Offered(name);
  return OfName(name, session_key);
}

ModelRef ModelTable::Default(absl::string_view session_key) const {
  if (!default_.empty()) {
    if (ModelRef model = Meant(default_, session_key); model != nullptr) return model;
  }
  // Without a chosen default the first model stays the default, until its name has labels or the model is gone.
  const bool labelled = labels_.Shared(first_name_) != nullptr || labels_.Find(first_name_, kStable) != nullptr;
  ModelRef model = labelled ? nullptr : Offered(first_);
  if (model == nullptr) model = OfName(first_name_, session_key);
  ModelRef of_another_kind;
  for (size_t i = 0; model == nullptr && i < models_.size(); ++i) {
    if (models_[i]->retiring) continue;
    if (Forecasts(models_[i])) {
      model = models_[i];
    } else if (of_another_kind == nullptr) {
      of_another_kind = models_[i];
    }
  }
  return model != nullptr ? model : of_another_kind;
}

absl::StatusOr<ModelRef> ModelTable::Find(const std::string& name, absl::string_view session_key) const {
  absl::MutexLock lock(&mutex_);
  if (ModelRef model = name.empty() ? Default(session_key) : Meant(name, session_key); model != nullptr) return model;
  std::vector<std::string> offered;
  for (const auto& model : models_) {
    if (!model->retiring) offered.push_back(model->id);
  }
  for (const auto& [label, target] : labels_.by_name) offered.push_back(absl::StrCat(label.first, "@", label.second));
  if (offered.empty()) return absl::NotFoundError("no model is offered here now");
  return absl::NotFoundError(
      absl::StrCat("no model '", log::Shown(name), "'; there are: ", absl::StrJoin(offered, ", ")));
}

ModelRef ModelTable::FindDigest(const std::string& digest) const {
  absl::MutexLock lock(&mutex_);
  for (const auto& model : models_) {
    // A retiring model is found, too: its sessions go on.
    if (model->package.digest == digest) return model;
  }
  return nullptr;
}

ModelRef ModelTable::FindDigest(const std::string& digest, const std::string& tier) const {
  absl::MutexLock lock(&mutex_);
  for (const auto& model : models_) {
    if (model->package.digest == digest) return OfTier(model, tier);
  }
  return nullptr;
}

ModelRef ModelTable::OfTier(const std::shared_ptr<LoadedModel>& model, const std::string& tier) const {
  if (model->engine->tier() == tier) return model;
  const LoadedModel* extended = nullptr;
  for (const auto& other : model->other_tiers) {
    if (other->engine->tier() == tier) return other;
    if (IsExtended(*other->engine)) extended = other.get();
  }
  const std::optional<engine::Extension> extension = engine::ExtensionOf(tier);
  if (extended == nullptr || !extension) return nullptr;
  // The engine shares the weights, so one more is cheap.
  auto engine = extended->engine->Extended(*extension);
  if (engine == nullptr) return nullptr;
  auto added = Loaded(model->package, std::move(engine), {.extended = true, .extension = *extension});
  added->extends = true;
  added->retiring = model->retiring.load();
  added->index = FreeIndex(-1);
  model->other_tiers.push_back(added);
  return added;
}

void ModelTable::SetRetiring(const std::string& digest, bool retiring) {
  absl::MutexLock lock(&mutex_);
  for (const auto& model : models_) {
    if (model->package.digest != digest || model->retiring == retiring) continue;
    model->retiring = retiring;
    for (const auto& other : model->other_tiers) other->retiring = retiring;
    // Counted apart: shards ask any_retiring every few milliseconds, without the lock.
    retiring_ += retiring ? 1 : -1;
  }
}

void ModelTable::Retire(const std::string& digest) { SetRetiring(digest, true); }
void ModelTable::Offer(const std::string& digest) { SetRetiring(digest, false); }

// First references are made only here, under the lock: a model held by the table alone stays unused.
std::vector<std::string> ModelTable::Unload() {
  // Outlives the lock: freeing a model must not keep the callers of Find waiting.
  Models unused;
  {
    absl::MutexLock lock(&mutex_);
    const auto used = [](const auto& model) { return !model->retiring || Held(model); };
    const auto first = std::stable_partition(models_.begin(), models_.end(), used);
    std::move(first, models_.end(), std::back_inserter(unused));
    models_.erase(first, models_.end());
    retiring_ -= static_cast<int>(unused.size());
  }
  std::vector<std::string> names;
  for (const auto& model : unused) names.push_back(model->id);
  return names;
}

ModelRef ModelTable::default_model() const {
  absl::MutexLock lock(&mutex_);
  return Default({});
}

std::vector<ModelRef> ModelTable::models() const {
  absl::MutexLock lock(&mutex_);
  return {models_.begin(), models_.end()};
}

std::vector<ModelRef> ModelTable::tiers() const {
  absl::MutexLock lock(&mutex_);
  std::vector<ModelRef> tiers;
  for (const auto& model : models_) {
    tiers.push_back(model);
    tiers.insert(tiers.end(), model->other_tiers.begin(), model->other_tiers.end());
  }
  return tiers;
}

size_t ModelTable::LargestRow() const {
  constexpr engine::Extension kLongest{.future = engine::kMostCovariates, .profile = true};
  size_t bytes = 0;
  for (const ModelRef& model : tiers()) {
    bytes = std::max(bytes, model->engine->row_bytes());
    const auto longest = IsExtended(*model->engine) ? model->engine->Extended(kLongest) : nullptr;
    if (longest != nullptr) bytes = std::max(bytes, longest->row_bytes());
  }
  return bytes;
}

void ModelTable::SetPending(std::vector<PendingPackage> pending) {
  absl::MutexLock lock(&mutex_);
  pending_ = std::move(pending);
}

std::vector<PendingPackage> ModelTable::pending() const {
  absl::MutexLock lock(&mutex_);
  return pending_;
}

}  // namespace aaren::models
