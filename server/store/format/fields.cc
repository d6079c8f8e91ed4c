#include "server/store/format/fields.h"

#include "absl/strings/str_cat.h"

namespace aaren::store {

void PutString(std::string& out, absl::string_view text) {
  Put(out, static_cast<uint16_t>(text.size()));
  out.append(text.data(), text.size());
}

void PutOrigin(std::string& out, const SessionOrigin& origin) {
  PutString(out, origin.model);
  PutString(out, origin.package_digest);
  PutString(out, origin.tier);
  Put(out, origin.numerics_version);
  Put(out, origin.channels);
}

void PutPoint(std::string& out, const SessionPoint& point) {
  Put(out, point.seq);
  Put(out, point.clock.last_time_ns);
  Put(out, point.clock.step_ns);
}

void Fields::TakeString(std::string& text, const char* name) {
  uint16_t length = 0;
  Take(length, name);
  text = std::string(TakeBytes(length, name));
}

void Fields::TakeOrigin(SessionOrigin& origin) {
  TakeString(origin.model, "the model's name");
  TakeString(origin.package_digest, "the package digest");
  TakeString(origin.tier, "the tier");
  Take(origin.numerics_version, "the numerics version");
  Take(origin.channels, "the number of channels");
}

void Fields::TakePoint(SessionPoint& point) {
  Take(point.seq, "seq");
  Take(point.clock.last_time_ns, "last_time_ns");
  Take(point.clock.step_ns, "step_ns");
}

absl::string_view Fields::TakeBytes(uint64_t length, const char* name) {
  // A damaged length is found here, before anybody makes room for as many bytes.
  if (status_.ok() && length > left_.size()) {
    status_ =
        absl::DataLossError(absl::StrCat(what_, ": ", name, " takes ", length, " bytes, ", left_.size(), " are left"));
  }
  if (!status_.ok()) return {};
  const absl::string_view bytes = left_.substr(0, length);
  left_.remove_prefix(length);
  return bytes;
}

void Fields::Fail(absl::string_view problem) {
  if (status_.ok()) status_ = absl::DataLossError(absl::StrCat(what_, ": ", problem));
}

absl::Status Fields::Finish() const {
  if (!status_.ok() || left_.empty()) return status_;
  return absl::DataLossError(absl::StrCat(what_, ": ", left_.size(), " bytes follow its last field"));
}

}  // namespace aaren::store
