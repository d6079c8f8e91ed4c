#ifndef AAREN_SERVER_IDENTITY_TOKENS_KEY_SET_FILE_H_
#define AAREN_SERVER_IDENTITY_TOKENS_KEY_SET_FILE_H_

// A KeySetFile reads the key set from a file, and again when the file changes, like the list of callers. While the file
// cannot be read, or is no JWKS, the earlier keys hold, and the log tells why.
//
// Threading: Look by one thread at a time, Get by any thread.

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/identity/tokens/key_set.h"
#include "server/machine/file/watched_file.h"

namespace aaren::identity {

class KeySetFile {
 public:
  // The file's error, or the set's with the file's name.
  static absl::StatusOr<std::unique_ptr<KeySetFile>> Open(const std::string& path);

  // Takes up a changed file.
  void Look() ABSL_LOCKS_EXCLUDED(mutex_);

  // The keys at the last Look.
  std::shared_ptr<const KeySet> Get() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  explicit KeySetFile(const std::string& path) : file_(path) {}
  absl::Status Read() ABSL_LOCKS_EXCLUDED(mutex_);

  file::WatchedFile file_;  // Look's only
  mutable absl::Mutex mutex_;
  std::shared_ptr<const KeySet> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_TOKENS_KEY_SET_FILE_H_
