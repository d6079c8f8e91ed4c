#include "model/package/sha256.h"

#include <openssl/evp.h>

#include <memory>

#include "absl/strings/escaping.h"

namespace aaren::package {

std::string Sha256(std::initializer_list<absl::string_view> parts) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  // Parts are hashed without separators: a digest is the hash of the concatenation.
  for (absl::string_view part : parts) EVP_DigestUpdate(context.get(), part.data(), part.size());
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_DigestFinal_ex(context.get(), digest, &length);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), length));
}

}  // namespace aaren::package
