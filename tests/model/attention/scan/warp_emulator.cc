#include "tests/model/attention/scan/warp_emulator.h"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

aaren::attention::EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;

namespace aaren::attention {
namespace {

constexpr int kWarp = 32;
constexpr size_t kStackBytes = 64 << 10;

struct Barrier {
  int arrived = 0, round = 0;
};

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStackBytes);
  bool done = false;
};

struct Block {
  explicit Block(int threads) : fibers(threads), warps(threads / kWarp), given(2 * threads) {}

  std::vector<Fiber> fibers;
  std::vector<Barrier> warps;
  std::vector<double> given;  // two numbers per thread
  Barrier all;
  ucontext_t scheduler;
  const std::function<void()>* kernel = nullptr;
  bool advanced = false;  // true if a thread reached a barrier or its end in the round
};

Block* block;  // the running block

void Meet(Barrier& barrier, int members) {
  const int round = barrier.round;
  block->advanced = true;
  if (++barrier.arrived == members) {
    barrier.arrived = 0;
    ++barrier.round;
    return;
  }
  while (barrier.round == round) swapcontext(&block->fibers[threadIdx.x].context, &block->scheduler);
}

void RunThread() {
  const unsigned thread = threadIdx.x;
  (*block->kernel)();
  block->fibers[thread].done = block->advanced = true;
}

void RunBlock(int threads, const std::function<void()>& kernel) {
  Block running(threads);
  block = &running;
  block->kernel = &kernel;
  for (Fiber& fiber : block->fibers) {
    getcontext(&fiber.context);
    fiber.context.uc_stack = {.ss_sp = fiber.stack.get(), .ss_flags = 0, .ss_size = kStackBytes};
    fiber.context.uc_link = &block->scheduler;
    makecontext(&fiber.context, RunThread, 0);
  }
  const auto done = [](const Fiber& fiber) { return fiber.done; };
  while (!std::all_of(block->fibers.begin(), block->fibers.end(), done)) {
    block->advanced = false;
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) {
      Fiber& fiber = block->fibers[threadIdx.x];
      if (!fiber.done) swapcontext(&block->scheduler, &fiber.context);
    }
    if (block->advanced) continue;
    std::fputs("a barrier of the kernel is not reached by all threads\n", stderr);
    std::abort();
  }
}

}  // namespace

void EmulateGrid(int64_t blocks, int threads, const std::function<void()>& kernel) {
  gridDim.x = static_cast<unsigned>(blocks);
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) RunBlock(threads, kernel);
}

int EmulatedLane() { return threadIdx.x % kWarp; }

// Exchanges use two halves of the memory in turn. A thread past the next exchange knows that all threads have read this
// exchange's half.
double EmulateExchange(double value, int source) {
  const unsigned warp = threadIdx.x / kWarp;
  Barrier& barrier = block->warps[warp];
  double* given = block->given.data() + barrier.round % 2 * blockDim.x;
  given[threadIdx.x] = value;
  Meet(barrier, kWarp);
  return given[warp * kWarp + source];
}

}  // namespace aaren::attention

void __syncthreads() { aaren::attention::Meet(aaren::attention::block->all, blockDim.x); }

bool __all_sync(unsigned, bool holds) {
  double all = holds;
  for (int bits = 1; bits < aaren::attention::kWarp; bits *= 2) {
    all *= aaren::attention::EmulateExchange(all, aaren::attention::EmulatedLane() ^ bits);
  }
  return all == 1;
}
