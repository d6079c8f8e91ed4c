#ifndef AAREN_SERVER_IDENTITY_TOKENS_VERIFIED_TOKENS_H_
#define AAREN_SERVER_IDENTITY_TOKENS_VERIFIED_TOKENS_H_

// VerifiedTokens remembers verified tokens with their claims until the tokens end: a signature costs far more than a
// hash, and a caller shows one token with every call.
//
// The table keeps no token, but the HMAC-SHA256 of each by a random key of this process. A reader of the process's
// memory cannot call, and nobody can make a token that is taken for another. The table is bounded: while full of tokens
// that have not ended, further tokens are verified each time.
//
// Threading: safe.

#include <array>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/identity/tokens/key_set.h"
#include "server/identity/tokens/web_token.h"

namespace aaren::identity {

class VerifiedTokens {
 public:
  static constexpr size_t kMost = 16384;

  VerifiedTokens();

  // The claims of the token; none: not remembered, ended, or the key is not in the set any more.
  std::optional<WebToken> Find(absl::string_view token, const KeySet& keys, absl::Time now) const
      ABSL_LOCKS_EXCLUDED(mutex_);

  void Remember(absl::string_view token, const WebToken& says, absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  std::string NameOf(absl::string_view token) const;

  std::array<unsigned char, 32> secret_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, WebToken> tokens_ ABSL_GUARDED_BY(mutex_);  // by NameOf
  absl::Time swept_ ABSL_GUARDED_BY(mutex_);                                   // when ended tokens were last removed
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_TOKENS_VERIFIED_TOKENS_H_
