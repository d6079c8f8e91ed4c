// A snapshot, unchanged and with a matching checksum: a parsed snapshot is written as the same bytes.

#include <openssl/sha.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "server/store/format/snapshot.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

void RunWhole(absl::string_view bytes) {
  const auto snapshot = store::ParseSnapshot(bytes);
  if (snapshot.ok()) Must(store::EncodeSnapshot(*snapshot) == bytes, "a snapshot is written as other bytes");
}

}  // namespace

void RunSnapshot(absl::string_view bytes) {
  RunWhole(bytes);
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  RunWhole(absl::StrCat(bytes, absl::string_view(reinterpret_cast<const char*>(digest), 16)));
}

}  // namespace aaren::fuzz
