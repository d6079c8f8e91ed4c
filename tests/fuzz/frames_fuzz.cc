// The waiting bytes of a connection: every counted frame exists.

#include "server/net/accept/waiting_frames.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunFrames(absl::string_view bytes) {
  constexpr size_t kLeast = 3 * 9;  // three headers of frames
  Must(!accept::BreakHttp2(bytes) || bytes.size() >= kLeast, "a breach without room");
}

}  // namespace aaren::fuzz
