#ifndef AAREN_SERVER_IDENTITY_ATTEMPTS_H_
#define AAREN_SERVER_IDENTITY_ATTEMPTS_H_

// Attempts to call by those whom the server does not know. A host may have ten such a second; beyond that its tokens
// are refused without being hashed. A proxy brings its clients from one host, so a token that was known when it came
// last is let through all the same (Remember). Callers says which others are.
//
// The table is bounded. When it is full of hosts that have failed just now, all others share one place.
//
// Threading: safe.

#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace aaren::identity {

class Attempts {
 public:
  static constexpr int64_t kPerSecond = 10;
  static constexpr size_t kMostHosts = 4096;

  // Whether no more of the host's tokens should be looked at for now.
  bool AreTooMany(absl::string_view host, int64_t now_ns) const ABSL_LOCKS_EXCLUDED(mutex_);

  // One more has failed.
  void NoteFailure(absl::string_view host, int64_t now_ns) ABSL_LOCKS_EXCLUDED(mutex_);

  // A token was known; whether it was, when it came last. Both keep 64 bits of it, which are of this process only.
  // `known_by` is its caller's (Caller).
  void Remember(absl::string_view token, absl::string_view known_by) ABSL_LOCKS_EXCLUDED(mutex_);
  bool Remembers(absl::string_view token) const ABSL_LOCKS_EXCLUDED(mutex_);

  // The list of callers has changed. The tokens of those who are still there are remembered: else a stranger who comes
  // through the same proxy would keep all of them out.
  void ForgetUnless(absl::FunctionRef<bool(absl::string_view known_by)> listed) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t hosts() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // When the host is where one is that never failed.
  int64_t ClearNs(absl::string_view host) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, int64_t> clear_ns_ ABSL_GUARDED_BY(mutex_);  // by host; "": all others
  absl::flat_hash_map<size_t, std::string> known_ ABSL_GUARDED_BY(mutex_);      // no more than there are callers
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ATTEMPTS_H_
