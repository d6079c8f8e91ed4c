#include "server/accept/client_hello.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace aaren::accept {
namespace {

constexpr char kHandshake = 22;  // a record's type
constexpr char kClientHello = 1;
constexpr size_t kRecordHeader = 5;   // type, version, length
constexpr size_t kMessageHeader = 4;  // type, length

// The value of a number with its highest byte first.
size_t NumberIn(absl::string_view bytes) {
  size_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

}  // namespace

ClientHello LookForClientHello(absl::string_view bytes) {
  std::string header;  // the header of the message, perhaps split over several records
  size_t come = 0;
  while (!bytes.empty()) {
    if (bytes[0] != kHandshake) return ClientHello::kNone;
    if (bytes.size() < kRecordHeader) return ClientHello::kPart;
    const size_t length = NumberIn(bytes.substr(3, 2));
    if (length == 0) return ClientHello::kNone;
    const absl::string_view content = bytes.substr(kRecordHeader, length);
    absl::StrAppend(&header, content.substr(0, kMessageHeader - header.size()));
    come += content.size();
    if (!header.empty() && header[0] != kClientHello) return ClientHello::kNone;
    if (header.size() == kMessageHeader) {
      const size_t message = kMessageHeader + NumberIn(absl::string_view(header).substr(1));
      if (message > kLongestClientHello) return ClientHello::kTooLong;
      if (come >= message) return ClientHello::kWhole;
    }
    if (content.size() < length) return ClientHello::kPart;
    bytes.remove_prefix(kRecordHeader + length);
  }
  return ClientHello::kPart;
}

}  // namespace aaren::accept
