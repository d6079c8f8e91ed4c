#include "tests/model/engine/cuda/emulated_block.h"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

namespace aaren::engine {

namespace {

constexpr size_t kStackBytes = 128 << 10;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  bool done = false;
};

}  // namespace

// Runs the fibers of one block after another.
struct BlockRun {
  BlockRun(EmulatedBlock& block, const std::function<void(EmulatedBlock&)>& kernel, const BlockGrid& grid)
      : block(block),
        kernel(kernel),
        fibers(static_cast<size_t>(grid.threads)),
        random(grid.seed),
        order(fibers.size()) {
    std::iota(order.begin(), order.end(), 0);
  }

  void Run();
  void RunStretch();

  EmulatedBlock& block;
  const std::function<void(EmulatedBlock&)>& kernel;
  std::vector<Fiber> fibers;
  std::mt19937_64 random;
  std::vector<int> order;
  ucontext_t scheduler;
};

namespace {

thread_local BlockRun* running = nullptr;  // a fiber's entry takes no pointer

void RunThread() {
  BlockRun& run = *running;
  Fiber& fiber = run.fibers[static_cast<size_t>(run.block.thread())];
  run.kernel(run.block);
  fiber.done = true;
}

}  // namespace

void BlockRun::Run() {
  for (Fiber& fiber : fibers) {
    fiber.done = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack = {.ss_sp = fiber.stack.get(), .ss_flags = 0, .ss_size = kStackBytes};
    fiber.context.uc_link = &scheduler;
    makecontext(&fiber.context, RunThread, 0);
  }
  for (size_t done = 0; done == 0;) {
    RunStretch();
    done = static_cast<size_t>(std::count_if(fibers.begin(), fibers.end(), [](const Fiber& f) { return f.done; }));
    if (done != 0 && done != fibers.size()) block.Fault("a barrier that some threads never come to");
  }
}

// Runs every fiber up to the next barrier or the end.
void BlockRun::RunStretch() {
  std::shuffle(order.begin(), order.end(), random);
  running = this;
  for (int thread : order) {
    block.thread_ = thread;
    swapcontext(&scheduler, &fibers[static_cast<size_t>(thread)].context);
  }
  ++block.stretch_;
}

void EmulatedBlock::Sync() { swapcontext(&run_->fibers[static_cast<size_t>(thread_)].context, &run_->scheduler); }

bool EmulatedBlock::InPiece(uintptr_t at, size_t bytes) const {
  if (pieces_ == nullptr) return false;
  auto piece = pieces_->upper_bound(at);
  if (piece == pieces_->begin()) return false;
  --piece;
  return at + bytes <= piece->first + piece->second;
}

void EmulatedBlock::Fault(const std::string& what) {
  if (!fault_.empty()) return;
  fault_ = "block " + std::to_string(block_) + ", thread " + std::to_string(thread_) + ": " + what;
}

bool EmulatedBlock::MayRead(Word& word, bool initialised) {
  if (initialised && word.written == 0) {
    Fault("a number that was never written is read");
    return false;
  }
  if (word.written == stretch_ && word.writer != thread_) {
    Fault("thread " + std::to_string(word.writer) + " wrote what is read, and no barrier lies between");
    return false;
  }
  if (word.read != stretch_) {
    word.read = stretch_;
    word.reader = static_cast<int16_t>(thread_);
  } else if (word.reader != thread_) {
    word.reader = kSeveral;
  }
  return true;
}

bool EmulatedBlock::MayWrite(Word& word) {
  const bool written = word.written == stretch_ && word.writer != thread_;
  const bool read = word.read == stretch_ && word.reader != thread_;
  if (written || read) {
    Fault(std::string("what another thread ") + (written ? "wrote" : "read") +
          " is written, and no barrier lies between");
    return false;
  }
  word.written = stretch_;
  word.writer = static_cast<int16_t>(thread_);
  return true;
}

bool EmulatedBlock::TouchGlobal(uintptr_t at, bool write) {
  GlobalWord& global = global_[at];
  const bool others = global.block != kNobody && (global.block != block_ || global.shared);
  if (others && (write || global.dirty)) {
    Fault("another block touches the same place of the device's memory");
    return false;
  }
  global.shared |= others;
  global.block = block_;
  global.dirty |= write;
  return write ? MayWrite(global.word) : MayRead(global.word, false);
}

std::string RunBlocks(const BlockGrid& grid, const std::function<void(EmulatedBlock&)>& kernel) {
  EmulatedBlock block;
  block.fibers_ = static_cast<size_t>(grid.threads);
  block.pieces_ = grid.pieces;
  block.shared_.resize(grid.shared_bytes);
  BlockRun run(block, kernel, grid);
  block.run_ = &run;
  for (uint32_t i = 0; i < grid.blocks && block.fault_.empty(); ++i) {
    block.block_ = static_cast<int>(i);
    std::memset(block.shared_.data(), 0xff, block.shared_.size());
    block.words_.assign(grid.shared_bytes / 4 + 1, {});
    run.Run();
  }
  return block.fault_;
}

}  // namespace aaren::engine
