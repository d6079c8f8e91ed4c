// What waits on a connection: however many frames are told of it, they are there.

#include "server/accept/frame_flood.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunFrames(absl::string_view bytes) {
  constexpr size_t kHeader = 9;
  const accept::FrameCounts counts = accept::CountFrames(bytes);
  Must(counts.frames * kHeader <= bytes.size(), "more frames than there is room for");
  Must(counts.begun + counts.resets <= counts.frames, "frames that are none");
  Must(counts.empty <= counts.frames, "empty frames that are none");
  Must(!accept::HasEndlessHeaders(bytes) || bytes.size() >= 3 * kHeader, "endless headers without room");
  Must(!accept::HasTooManyCalls(bytes) || bytes.size() >= 2 * accept::kStreamsOfConnection * kHeader,
       "too many calls without room");
  accept::FloodEvidence evidence;
  evidence.Add({.waiting = bytes, .read = bytes.size()});
  evidence.Add({.waiting = bytes, .read = 2 * bytes.size()});
}

}  // namespace aaren::fuzz
