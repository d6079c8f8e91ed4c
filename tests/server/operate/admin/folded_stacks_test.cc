#include "server/operate/admin/profile/folded_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace aaren::admin {

// The linker knows both names.
extern "C" void profiled_leaf() {}
extern "C" void profiled_caller() {}

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// An address in a function: 0 is its beginning; a return address lies behind a call, at least a byte further.
void* In(void (*function)(), int bytes) { return reinterpret_cast<char*>(reinterpret_cast<void*>(function)) + bytes; }

CpuSample Sample(const std::vector<void*>& frames, pid_t thread = getpid()) {
  CpuSample sample;
  sample.thread = thread;
  for (void* frame : frames) sample.frames[sample.depth++] = frame;
  return sample;
}

TEST(FoldedStacksTest, StacksAreCountedFromTheOutermostOn) {
  const CpuSample leaf = Sample({In(profiled_leaf, 0), In(profiled_caller, 1)}),
                  other = Sample({In(profiled_caller, 0)});
  EXPECT_THAT(FoldStacks({leaf, other, leaf}, 1 << 20),
              testing::MatchesRegex("[^;\n]+;profiled_caller;profiled_leaf 2\n[^;\n]+;profiled_caller 1\n"));
}

TEST(FoldedStacksTest, FunctionsOfLibrariesHaveNames) {
  EXPECT_THAT(FoldStacks({Sample({reinterpret_cast<void*>(&getppid)})}, 1 << 20), HasSubstr("getppid 1"));
}

TEST(FoldedStacksTest, WhatIsInNoFileIsItsAddress) {
  EXPECT_THAT(FoldStacks({Sample({reinterpret_cast<void*>(0x10)})}, 1 << 20), HasSubstr(";0x10 1"));
}

TEST(FoldedStacksTest, AThreadThatHasEndedIsSaidToHave) {
  constexpr pid_t kNobody = 1 << 30;
  EXPECT_THAT(FoldStacks({Sample({In(profiled_leaf, 0)}, kNobody)}, 1 << 20), StartsWith("(ended);"));
}

TEST(FoldedStacksTest, WhatFindsNoRoomIsCountedTogether) {
  std::vector<CpuSample> samples(5, Sample({In(profiled_leaf, 0)}));
  samples.push_back(Sample({In(profiled_caller, 0)}));
  samples.push_back(Sample({reinterpret_cast<void*>(0x10)}));
  const std::string folded = FoldStacks(samples, 40);
  EXPECT_THAT(folded, HasSubstr(";profiled_leaf 5\n"));
  EXPECT_THAT(folded, testing::EndsWith("\n[other stacks] 2\n"));
}

}  // namespace
}  // namespace aaren::admin
