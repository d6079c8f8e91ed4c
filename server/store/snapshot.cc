#include "server/store/snapshot.h"

#include <openssl/sha.h>

#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren {
namespace {

constexpr absl::string_view kMagic = "AARENSES";
constexpr uint32_t kFormat = 1;
constexpr size_t kChecksumBytes = 16;

std::string Checksum(absl::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return std::string(reinterpret_cast<const char*>(digest), kChecksumBytes);
}

template <typename T>
void Put(std::string& out, T value) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(bits >> (8 * i));
}

void PutString(std::string& out, absl::string_view text) {
  Put(out, static_cast<uint16_t>(text.size()));
  out.append(text.data(), text.size());
}

// Takes fields off the front of what is left; after the first one that is not there, nothing more.
class Fields {
 public:
  explicit Fields(absl::string_view bytes) : left_(bytes) {}

  template <typename T>
  void Take(T& value, const char* name) {
    std::make_unsigned_t<T> bits = 0;
    const absl::string_view bytes = TakeBytes(sizeof(T), name);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bits |= static_cast<std::make_unsigned_t<T>>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    value = static_cast<T>(bits);
  }

  void TakeString(std::string& text, const char* name) {
    uint16_t length = 0;
    Take(length, name);
    text = std::string(TakeBytes(length, name));
  }

  absl::string_view TakeBytes(uint64_t length, const char* name) {
    if (status_.ok() && length > left_.size()) {
      status_ = absl::DataLossError(
          absl::StrCat("snapshot: ", name, " takes ", length, " bytes, ", left_.size(), " are left"));
    }
    if (!status_.ok()) return {};
    const absl::string_view bytes = left_.substr(0, length);
    left_.remove_prefix(length);
    return bytes;
  }

  absl::Status Finish() const {
    if (!status_.ok() || left_.empty()) return status_;
    return absl::DataLossError(absl::StrCat("snapshot: ", left_.size(), " bytes follow the rows"));
  }

  const absl::Status& status() const { return status_; }

 private:
  absl::string_view left_;
  absl::Status status_;
};

// The bytes between magic and checksum.
absl::StatusOr<absl::string_view> CheckedBody(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, kMagic)) {
    return absl::DataLossError(absl::StrCat("snapshot: the first bytes are not '", kMagic, "'"));
  }
  if (bytes.size() < kMagic.size() + kChecksumBytes) {
    return absl::DataLossError(absl::StrCat("snapshot: ", bytes.size(), " bytes are too few to be one"));
  }
  const absl::string_view checksum = bytes.substr(bytes.size() - kChecksumBytes);
  bytes.remove_suffix(kChecksumBytes);
  if (Checksum(bytes) != checksum) {
    return absl::DataLossError(
        absl::StrCat("snapshot: the checksum of its ", bytes.size(), " bytes does not match: it was cut or altered"));
  }
  return bytes.substr(kMagic.size());
}

}  // namespace

std::string EncodeSnapshot(const SessionSnapshot& snapshot) {
  std::string out(kMagic);
  Put(out, kFormat);
  PutString(out, snapshot.origin.model);
  PutString(out, snapshot.origin.package_digest);
  PutString(out, snapshot.origin.tier);
  Put(out, snapshot.origin.numerics_version);
  Put(out, snapshot.origin.channels);
  Put(out, snapshot.point.seq);
  Put(out, snapshot.point.clock.last_time_ns);
  Put(out, snapshot.point.clock.step_ns);
  Put(out, static_cast<uint64_t>(snapshot.rows.size()));
  out += snapshot.rows;
  return out + Checksum(out);
}

absl::StatusOr<SessionSnapshot> ParseSnapshot(absl::string_view bytes) {
  const absl::StatusOr<absl::string_view> body = CheckedBody(bytes);
  if (!body.ok()) return body.status();
  Fields fields(*body);
  uint32_t format = 0;
  fields.Take(format, "the format version");
  if (fields.status().ok() && format != kFormat) {
    return absl::FailedPreconditionError(
        absl::StrCat("snapshot: format version ", format, ", this server knows ", kFormat));
  }
  SessionSnapshot snapshot;
  fields.TakeString(snapshot.origin.model, "the model's name");
  fields.TakeString(snapshot.origin.package_digest, "the package digest");
  fields.TakeString(snapshot.origin.tier, "the tier");
  fields.Take(snapshot.origin.numerics_version, "the numerics version");
  fields.Take(snapshot.origin.channels, "the number of channels");
  fields.Take(snapshot.point.seq, "seq");
  fields.Take(snapshot.point.clock.last_time_ns, "last_time_ns");
  fields.Take(snapshot.point.clock.step_ns, "step_ns");
  uint64_t row_bytes = 0;
  fields.Take(row_bytes, "the length of the rows");
  snapshot.rows = std::string(fields.TakeBytes(row_bytes, "rows"));
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  return snapshot;
}

}  // namespace aaren
