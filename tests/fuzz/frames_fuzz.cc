// The waiting bytes of a connection: every counted frame exists.

#include "server/net/accept/waiting_frames.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunFrames(absl::string_view bytes) {
  constexpr size_t kHeader = 9, kMostCalls = 512;
  Must(!accept::HasEndlessHeaders(bytes) || bytes.size() >= 3 * kHeader, "endless headers without room");
  Must(!accept::HasTooManyCalls(bytes) || bytes.size() >= kMostCalls * kHeader, "too many calls without room");
}

}  // namespace aaren::fuzz
