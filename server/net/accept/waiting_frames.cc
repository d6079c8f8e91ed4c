#include "server/net/accept/waiting_frames.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace aaren::accept {
namespace {

// RFC 9113, section 4.1: 3 bytes of length, type, flags, 4 bytes of stream.
constexpr size_t kHeaderBytes = 9;
constexpr size_t kMostLength = 16 << 10;
constexpr size_t kLeastFrames = 16;       // fewer could be chance
constexpr size_t kMostFrameBytes = 2048;  // the most bytes of a small frame
constexpr size_t kTooManyCalls = 512;     // twice as many as one connection may have under way
enum Type : uint8_t {
  kHeaders = 1,
  kPriority = 2,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kWindow = 8,
  kContinuation = 9,
  kLast = kContinuation
};

struct Frame {
  size_t length;
  uint8_t type;

  size_t whole() const { return kHeaderBytes + length; }
};

std::optional<Frame> FrameAt(absl::string_view bytes, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[at + i]); };
  const Frame frame{size_t{byte(0)} << 16 | size_t{byte(1)} << 8 | byte(2), byte(3)};
  if (frame.length > kMostLength) return std::nullopt;
  if (frame.type > kLast) return frame;  // to be ignored, says section 5.5
  if ((frame.type == kReset || frame.type == kWindow) && frame.length != 4) return std::nullopt;
  if (frame.type == kPriority && frame.length != 5) return std::nullopt;
  if (frame.type == kPing && frame.length != 8) return std::nullopt;
  if (frame.type == kSettings && frame.length % 6 != 0) return std::nullopt;
  // Every kind but window updates either always or never belongs to a stream: zeros within a message are no frames.
  const bool has_stream = ((byte(5) & 0x7f) | byte(6) | byte(7) | byte(8)) != 0;
  const bool of_connection = frame.type == kSettings || frame.type == kPing;
  if (frame.type != kWindow && has_stream == of_connection) return std::nullopt;
  return frame;
}

struct FrameCounts {
  size_t frames = 0;
  size_t begun = 0;   // calls
  size_t resets = 0;  // calls reset
};

// Counts the frames from `at` to the end; none if the bytes are no frames, or have more than `most`. Takes the examined
// frames from `most`.
FrameCounts CountFrom(absl::string_view bytes, size_t at, size_t& most) {
  FrameCounts counts;
  while (at + kHeaderBytes <= bytes.size()) {
    const std::optional<Frame> frame = FrameAt(bytes, at);
    if (!frame || most == 0) return {};
    --most;
    ++counts.frames;
    counts.begun += frame->type == kHeaders;
    counts.resets += frame->type == kReset;
    at += frame->whole();
  }
  return counts;
}

// The length of the row of CONTINUATION frames that begins at `at`.
size_t ContinuationsFrom(absl::string_view bytes, size_t at) {
  size_t count = 0;
  while (at + kHeaderBytes <= bytes.size()) {
    const std::optional<Frame> frame = FrameAt(bytes, at);
    if (!frame || frame->type != kContinuation) break;
    ++count;
    at += frame->whole();
  }
  return count;
}

// Counts the frames in `bytes`, a piece from anywhere in a connection. None if the bytes are not many small frames.
FrameCounts CountFrames(absl::string_view bytes) {
  const size_t longest = std::min(kMostFrameBytes, bytes.size() / kLeastFrames);  // enough of such frames
  size_t most = 4 * bytes.size() / kHeaderBytes;  // content may look like frames at every offset
  for (size_t at = 0; at < longest && most > 0; ++at) {
    const FrameCounts counts = CountFrom(bytes, at, most);
    if (counts.frames >= kLeastFrames) return counts;
  }
  return {};
}

}  // namespace

bool HasEndlessHeaders(absl::string_view bytes) {
  constexpr size_t kLeast = 3;
  const size_t longest = std::min(kMostLength + kHeaderBytes, bytes.size());  // until the first frame begins
  for (size_t at = 0; at < longest; ++at) {
    if (at + 3 < bytes.size() && bytes[at + 3] == kContinuation && ContinuationsFrom(bytes, at) >= kLeast) return true;
  }
  return false;
}

bool HasTooManyCalls(absl::string_view bytes) {
  const FrameCounts counts = CountFrames(bytes);
  return counts.begun > counts.resets + kTooManyCalls;
}

}  // namespace aaren::accept
