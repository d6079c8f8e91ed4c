// The cost of a batch apart from arithmetic: no memory is allocated.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "model/engine/cpu/cpu_engine.h"
#include "tests/model/engine/random_package.h"

namespace {

std::atomic<size_t> allocations{0};

}  // namespace

// Counts the allocations of the whole program.
void* operator new(size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace aaren::engine {
namespace {

TEST(SubmitCostTest, ABatchAllocatesNothing) {
  constexpr size_t kRows = 10, kTokens = 30;
  const auto engine = NewCpuEngine(RandomPackage(TinyConfig(), 1)).value();
  const std::unique_ptr<Lane> lane = engine->NewLane(kRows);
  std::vector<Slot> slots(kRows);
  ASSERT_TRUE(lane->Allocate(absl::MakeSpan(slots)).ok());
  ASSERT_TRUE(lane->Reset(slots).ok());
  const std::vector<float> values(kTokens, 1.0f);
  const std::vector<uint8_t> wanted(kTokens, 1);
  const size_t floats = engine->result_floats();
  std::vector<float> forecasts(kRows * kTokens * floats), surprises(kRows * kTokens);
  std::vector<engine::Run> runs;
  for (size_t i = 0; i < kRows; ++i) {
    runs.push_back({.slot = slots[i],
                    .values = values,
                    .forecast = wanted,
                    .forecasts = &forecasts[i * kTokens * floats],
                    .surprises = &surprises[i * kTokens]});
  }
  const size_t before = allocations;
  const absl::StatusOr<Ticket> ticket = lane->Submit(runs);
  const bool done = ticket.ok() && lane->Poll(*ticket) == absl::OkStatus();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(done);
  EXPECT_GT(before, 0u) << "allocations are not counted";
}

}  // namespace
}  // namespace aaren::engine
