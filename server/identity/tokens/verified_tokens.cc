#include "server/identity/tokens/verified_tokens.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cstdlib>

namespace aaren::identity {
namespace {

constexpr absl::Duration kSweep = absl::Seconds(1);  // the shortest pause: a sweep of a full table looks at every token

}  // namespace

// Without a secret anybody could search for two tokens with one name: the process must end.
VerifiedTokens::VerifiedTokens() : swept_(absl::InfinitePast()) {
  if (RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) != 1) std::abort();
}

std::string VerifiedTokens::NameOf(absl::string_view token) const {
  std::string name(32, '\0');
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(token.data()), token.size(),
       reinterpret_cast<unsigned char*>(name.data()), nullptr);
  return name;
}

std::optional<WebToken> VerifiedTokens::Find(absl::string_view token, const KeySet& keys, absl::Time now) const {
  // Longer tokens were never verified: a stranger's megabyte is not hashed.
  if (token.size() > KeySet::kMaxTokenBytes) return std::nullopt;
  const std::string name = NameOf(token);
  absl::MutexLock lock(&mutex_);
  const auto found = tokens_.find(name);
  if (found == tokens_.end() || now >= found->second.ends || !keys.Has(found->second.fingerprint)) return std::nullopt;
  return found->second;
}

void VerifiedTokens::Remember(absl::string_view token, const WebToken& says, absl::Time now) {
  const std::string name = NameOf(token);
  absl::MutexLock lock(&mutex_);
  const bool is_due = now - swept_ >= kSweep || now < swept_;  // the wall clock may have been set back
  if (tokens_.size() >= kMost && is_due) {
    absl::erase_if(tokens_, [now](const auto& entry) { return now >= entry.second.ends; });
    swept_ = now;
  }
  if (tokens_.size() < kMost) tokens_.insert_or_assign(name, says);
}

size_t VerifiedTokens::size() const {
  absl::MutexLock lock(&mutex_);
  return tokens_.size();
}

}  // namespace aaren::identity
