#include "server/sessions/models/model_watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/machine/file/regular_file.h"
#include "server/operate/log/log.h"
#include "server/sessions/models/package_folder.h"
#include "server/sessions/models/warm_up.h"

namespace aaren::models {
namespace {

constexpr int kLowPriority = 10;             // shards come first
constexpr size_t kMaxLabelsBytes = 1 << 20;  // far more than kMostLabels lines

// A missing file means no labels.
absl::StatusOr<ModelLabels> ReadLabels(const std::string& path) {
  const absl::StatusOr<std::string> text = file::ReadRegularFile(path, kMaxLabelsBytes);
  if (absl::IsNotFound(text.status())) return ModelLabels{};
  return text.ok() ? ParseLabels(*text) : text.status();
}

}  // namespace

ModelWatch::ModelWatch(ModelTable& models, std::string folder, std::string engine, engine::Tier tier)
    : models_(models), folder_(std::move(folder)), engine_(std::move(engine)), tier_(tier) {}

ModelWatch::~ModelWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void ModelWatch::Start(absl::Duration period) {
  thread_ = std::thread([this, period] { Run(period); });
}

void ModelWatch::Run(absl::Duration period) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kLowPriority);  // for the thread alone, on Linux
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, absl::ToChronoNanoseconds(period), [this] { return stopping_; })) {
    lock.unlock();
    Look();
    lock.lock();
  }
}

absl::Status ModelWatch::Load() {
  if (absl::Status status = FoldersIn(folder_).status(); !status.ok()) return status;
  // A start takes the files unwatched: a second look would delay the start by a period.
  LookAtFolders(/*wait_for_rest=*/false);
  LookAtLabels(/*wait_for_rest=*/false);
  if (!models_.models().empty()) return absl::OkStatus();
  for (const auto& [path, package] : packages_) {
    if (!package.refusal.ok()) return package.refusal;
  }
  const std::string stray =
      packages_.empty() ? "" : absl::StrCat(": no model.json in '", packages_.begin()->first, "'");
  return absl::NotFoundError(absl::StrCat("no model package in '", folder_, "'", stray));
}

void ModelWatch::Look() {
  LookAtFolders(/*wait_for_rest=*/true);
  // An unreadable folder takes no label away.
  if (!folder_missing_) LookAtLabels(/*wait_for_rest=*/true);
  UnloadUnused();
}

void ModelWatch::LookAtLabels(bool wait_for_rest) {
  const std::string path = absl::StrCat(folder_, "/", kLabelsFile);
  const std::string fingerprint = FingerprintOf(path);
  const bool rests = std::exchange(labels_seen_, fingerprint) == fingerprint;
  // A file changed since the last look may still be written.
  if (fingerprint == labels_read_ || (wait_for_rest && !rests)) return;
  // Noted before the reading: a wrong file is refused once, not at each look.
  labels_read_ = fingerprint;
  absl::StatusOr<ModelLabels> labels = ReadLabels(path);
  if (!labels.ok()) return RefuseLabels(path, labels.status());
  labels_refusal_ = absl::OkStatus();
  for (const auto& [key, label] : labels->by_name) {
    log::Log(log::LogLevel::kInfo, "model label",
             {{"label", absl::StrCat(key.first, "@", key.second)},
              {"version", absl::StrCat(label.version)},
              {"share", absl::StrCat(label.share)}});
  }
  models_.SetLabels(*std::move(labels));
}

void ModelWatch::RefuseLabels(const std::string& path, const absl::Status& why) {
  const bool wrong = absl::IsInvalidArgument(why) || absl::IsFailedPrecondition(why);
  // A disk may fail for a moment, or too many files may be open: the next look reads again, and tells only news.
  if (!wrong) labels_read_.reset();
  const absl::Status before = std::exchange(labels_refusal_, why);
  if (wrong || why != before) Refused(path, why);
}

void ModelWatch::LookAtFolders(bool wait_for_rest) {
  const absl::StatusOr<std::vector<std::string>> folders = FoldersIn(folder_);
  // A disk away for a moment takes no model away.
  if (!folders.ok()) {
    if (!std::exchange(folder_missing_, true)) Refused(folder_, folders.status());
    return;
  }
  folder_missing_ = false;
  for (auto& [path, package] : packages_) package.seen = false;
  for (const std::string& path : *folders) packages_[path].seen = true;
  for (const std::string& path : *folders) {
    std::string fingerprint = FingerprintOf(path);
    Package& package = packages_[path];
    const bool rests = package.fingerprint == fingerprint;
    // New content gets a new attempt, also after a refusal.
    if (!rests) package.tried = false;
    package.fingerprint = std::move(fingerprint);
    if (!package.tried && (rests || !wait_for_rest)) Try(path, package);
  }
  Forget();
  Publish("");
}

void ModelWatch::Try(const std::string& path, Package& package) {
  package.tried = true;
  package.refusal = absl::OkStatus();
  // A loaded package without its model.json is no stray folder: the refusal below tells.
  if (package.digest.empty() && IsStray(path)) {
    return log::Log(log::LogLevel::kInfo, "no model package", {{"path", path}, {"why", "it has no model.json"}});
  }
  // Lists show the package as loading meanwhile.
  Publish(path);
  package.refusal = LoadInto(path, package);
  if (!package.refusal.ok()) Refused(path, package.refusal);
}

absl::Status ModelWatch::LoadInto(const std::string& path, Package& package) {
  absl::StatusOr<package::ModelPackage> read = package::LoadPackage(path);
  if (!read.ok()) return read.status();
  const std::string digest = read->digest, id = absl::StrCat(read->name, ":", read->version);
  if (models_.FindDigest(digest) != nullptr) {  // the folder is back, or the files were written again
    models_.Offer(digest);
    Replace(package, digest);
    return absl::OkStatus();
  }
  for (const ModelRef& other : models_.models()) {
    if (other->id != id) continue;
    return absl::AlreadyExistsError(
        absl::StrCat(id, " is there with other weights: a version is never replaced, give it another one"));
  }
  absl::StatusOr<Engines> engines = OpenEngines(engine_, tier_, *read);
  if (!engines.ok()) return engines.status();
  // Sessions of any tier may come back at once, so all engines are tried.
  const std::unique_ptr<const task::Conversion> conversion = task::NewConversion(*read);
  absl::Status warm = WarmUp(*engines->offered, *conversion);
  for (const auto& other : engines->others) warm.Update(WarmUp(*other, *conversion));
  if (!warm.ok()) return warm;
  absl::Status added = models_.Add(*std::move(read), std::move(engines->offered), std::move(engines->others));
  if (!added.ok()) return added;
  log::Log(log::LogLevel::kInfo, "model loaded", {{"model", id}, {"digest", digest}});
  Replace(package, digest);
  return absl::OkStatus();
}

void ModelWatch::Replace(Package& package, const std::string& digest) {
  const std::string before = std::exchange(package.digest, digest);
  // Another version may come in the same folder: the earlier version retires.
  if (!before.empty() && before != digest) RetireUnlessElsewhere(before);
}

void ModelWatch::RetireUnlessElsewhere(const std::string& digest) {
  for (const auto& [path, package] : packages_) {
    if (package.seen && package.digest == digest) return;
  }
  models_.Retire(digest);
  if (const ModelRef model = models_.FindDigest(digest); model != nullptr)
    log::Log(log::LogLevel::kInfo, "model retires", {{"model", model->id}});
}

// A folder unseen in the look has disappeared.
void ModelWatch::Forget() {
  for (auto next = packages_.begin(); next != packages_.end();) {
    // Moved on before the erase: the erase ends the iterator.
    const auto package = next++;
    if (package->second.seen) continue;
    if (!package->second.digest.empty()) RetireUnlessElsewhere(package->second.digest);
    packages_.erase(package);
  }
}

void ModelWatch::UnloadUnused() {
  if (!models_.any_retiring()) return;
  const std::vector<std::string> unloaded = models_.Unload();
  for (const std::string& id : unloaded) log::Log(log::LogLevel::kInfo, "model unloaded", {{"model", id}});
  // A package of the same name:version may have waited for an unload, or any package for room.
  for (auto& [path, package] : packages_) {
    const bool waits = absl::IsAlreadyExists(package.refusal) || absl::IsResourceExhausted(package.refusal);
    if (!unloaded.empty() && waits) package.tried = false;
  }
}

// `loading`: the package being loaded, if any.
void ModelWatch::Publish(const std::string& loading) {
  std::vector<PendingPackage> pending;
  for (const auto& [path, package] : packages_) {
    if (path == loading || !package.tried) {
      pending.push_back({path, ""});
    } else if (!package.refusal.ok()) {
      pending.push_back({path, std::string(package.refusal.message())});
    }
  }
  models_.SetPending(std::move(pending));
}

void ModelWatch::Refused(const std::string& what, const absl::Status& why) {
  models_.failures().Add(1);
  log::Log(log::LogLevel::kError, "model refused", {{"path", what}, {"why", why.ToString()}});
}

}  // namespace aaren::models
