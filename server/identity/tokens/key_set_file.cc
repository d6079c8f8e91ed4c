#include "server/identity/tokens/key_set_file.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/operate/log/log.h"

namespace aaren::identity {

absl::StatusOr<std::unique_ptr<KeySetFile>> KeySetFile::Open(const std::string& path) {
  std::unique_ptr<KeySetFile> file(new KeySetFile(path));
  if (absl::Status status = file->Read(); !status.ok()) return status;
  return file;
}

// A set without a key is valid and lets nobody in. The log tells, since an empty set may be a mistake.
absl::Status KeySetFile::Read() {
  const absl::StatusOr<std::optional<std::string>> text = file_.Read();
  if (!text.ok()) return text.status();
  if (!text->has_value()) return absl::OkStatus();
  absl::StatusOr<KeySet> keys = KeySet::Parse(**text);
  if (!keys.ok()) return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": ", keys.status().message()));
  if (keys->size() == 0) log::Log(log::LogLevel::kWarning, "no key may sign tokens", {{"file", file_.path()}});
  // Made without the lock: no caller waits for the parsing of keys.
  auto made = std::make_shared<const KeySet>(*std::move(keys));
  absl::MutexLock lock(&mutex_);
  keys_.swap(made);
  return absl::OkStatus();
}

std::shared_ptr<const KeySet> KeySetFile::Get() const {
  absl::MutexLock lock(&mutex_);
  return keys_;
}

void KeySetFile::Look() {
  if (absl::Status status = Read(); !status.ok()) {
    log::Log(log::LogLevel::kError, "the keys of tokens stay as they were",
             {{"reason", std::string(status.message())}});
  }
}

}  // namespace aaren::identity
