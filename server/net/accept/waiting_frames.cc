#include "server/net/accept/waiting_frames.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace aaren::accept {
namespace {

// RFC 9113, sections 4.1 and 6: 3 bytes of length, type, flags, 4 bytes of stream.
constexpr size_t kHeaderBytes = 9;
constexpr uint32_t kMostLength = 16 << 10;
constexpr uint32_t kHeaders = 1, kReset = 3, kContinuation = 9;  // types; 0 is data
constexpr uint32_t kEndHeaders = 4;                              // a flag
constexpr size_t kTooManyCalls = 512;                            // twice as many as one connection may have under way
constexpr size_t kEndlessRow = 3;

// Looks at the frames that follow each other from `at` on, and takes their number from `most`.
bool BreakHttp2From(size_t at, absl::string_view bytes, size_t& most) {
  const auto number = [bytes](size_t begin, size_t size) {
    uint32_t value = 0;
    for (const char byte : bytes.substr(begin, size)) value = value << 8 | static_cast<uint8_t>(byte);
    return value;
  };
  size_t calls = 0, resets = 0, row = 0;
  uint32_t last_call = 0, continued = 0;
  for (; at + kHeaderBytes <= bytes.size() && most > 0; --most) {
    const uint32_t length = number(at, 3), type = number(at + 3, 1), stream = number(at + 5, 4);
    // Zeros within a message are no frames: data, headers and resets belong to a stream.
    if (length > kMostLength || (stream == 0 && (type <= kReset || type == kContinuation))) return false;
    if (type == kHeaders && stream > last_call) ++calls, last_call = stream;
    resets += type == kReset;
    const bool endless = type == kContinuation && (number(at + 4, 1) & kEndHeaders) == 0;
    row = !endless ? 0 : stream == continued ? row + 1 : 1;
    continued = stream;
    if (calls > resets + kTooManyCalls) return true;
    at += kHeaderBytes + length;
  }
  // Nothing else may stand between the frames of a header. Content with a few such frames goes on otherwise.
  return row >= kEndlessRow && at + kHeaderBytes > bytes.size();
}

}  // namespace

bool BreakHttp2(absl::string_view bytes) {
  size_t most = bytes.size() / 2;  // content may look like frames at every offset
  const size_t longest = std::min(kMostLength + kHeaderBytes, bytes.size());  // until the first frame begins
  for (size_t at = 0; at < longest; ++at) {
    if (BreakHttp2From(at, bytes, most)) return true;
  }
  return false;
}

}  // namespace aaren::accept
