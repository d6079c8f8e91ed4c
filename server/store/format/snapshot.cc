#include "server/store/format/snapshot.h"

#include <openssl/sha.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/store/format/fields.h"

namespace aaren::store {
namespace {

constexpr absl::string_view kMagic = "AARENSES";
constexpr uint32_t kFormat = 1;
constexpr size_t kChecksumBytes = 16;

std::string Sha256(absl::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return std::string(reinterpret_cast<const char*>(digest), kChecksumBytes);
}

// The bytes between magic and checksum.
absl::StatusOr<absl::string_view> BodyOf(absl::string_view bytes) {
  // The magic comes before the checksum: another kind of file is told from a damaged snapshot.
  if (!absl::StartsWith(bytes, kMagic)) {
    return absl::DataLossError(absl::StrCat("snapshot: the first bytes are not '", kMagic, "'"));
  }
  if (bytes.size() < kMagic.size() + kChecksumBytes) {
    return absl::DataLossError(absl::StrCat("snapshot: ", bytes.size(), " bytes are too few to be one"));
  }
  const absl::string_view checksum = bytes.substr(bytes.size() - kChecksumBytes);
  bytes.remove_suffix(kChecksumBytes);
  if (Sha256(bytes) != checksum) {
    return absl::DataLossError(
        absl::StrCat("snapshot: the checksum of its ", bytes.size(), " bytes does not match: it was cut or altered"));
  }
  return bytes.substr(kMagic.size());
}

}  // namespace

std::string EncodeSnapshot(const SessionSnapshot& snapshot) {
  std::string out(kMagic);
  Put(out, kFormat);
  PutOrigin(out, snapshot.origin);
  PutPoint(out, snapshot.point);
  Put(out, static_cast<uint64_t>(snapshot.rows.size()));
  out += snapshot.rows;
  return out + Sha256(out);
}

absl::StatusOr<SessionSnapshot> ParseSnapshot(absl::string_view bytes) {
  const absl::StatusOr<absl::string_view> body = BodyOf(bytes);
  if (!body.ok()) return body.status();
  Fields fields("snapshot", *body);
  uint32_t format = 0;
  fields.Take(format, "the format version");
  // The checksum was right: a snapshot of another format is whole, and a server of that format can read the bytes.
  if (fields.status().ok() && format != kFormat) {
    return absl::FailedPreconditionError(
        absl::StrCat("snapshot: format version ", format, ", this server knows ", kFormat));
  }
  SessionSnapshot snapshot;
  fields.TakeOrigin(snapshot.origin);
  fields.TakePoint(snapshot.point);
  uint64_t row_bytes = 0;
  fields.Take(row_bytes, "the length of the rows");
  snapshot.rows = std::string(fields.TakeBytes(row_bytes, "rows"));
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return snapshot;
}

}  // namespace aaren::store
