#ifndef AAREN_SERVER_STORE_FORMAT_FIELDS_H_
#define AAREN_SERVER_STORE_FORMAT_FIELDS_H_

// Values as bytes that outlive the process: integers little-endian, strings as uint16 length and bytes. Reading trusts
// nothing: every length is compared with the remaining bytes. Threading: plain values.

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/store/session_point.h"

namespace aaren::store {

template <typename T>
void Put(std::string& out, T value) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(bits >> (8 * i));
}
void PutString(std::string& out, absl::string_view text);
void PutOrigin(std::string& out, const SessionOrigin& origin);
void PutPoint(std::string& out, const SessionPoint& point);

// Takes fields off the front of the bytes; after the first missing field, nothing more.
class Fields {
 public:
  // The errors name the bytes by `what`: "snapshot".
  Fields(std::string what, absl::string_view bytes) : what_(std::move(what)), left_(bytes) {}

  template <typename T>
  void Take(T& value, const char* name) {
    std::make_unsigned_t<T> bits = 0;
    const absl::string_view bytes = TakeBytes(sizeof(T), name);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bits |= static_cast<std::make_unsigned_t<T>>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    value = static_cast<T>(bits);
  }
  void TakeString(std::string& text, const char* name);
  void TakeOrigin(SessionOrigin& origin);
  void TakePoint(SessionPoint& point);
  absl::string_view TakeBytes(uint64_t length, const char* name);

  // Notes a field with an impossible value. `problem` becomes the error unless an earlier error exists.
  void Fail(absl::string_view problem);

  // DataLoss if a field was missing or could not be, or something is left.
  absl::Status Finish() const;
  const absl::Status& status() const { return status_; }

 private:
  const std::string what_;
  absl::string_view left_;
  absl::Status status_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_FORMAT_FIELDS_H_
