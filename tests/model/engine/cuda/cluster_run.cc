#include "tests/model/engine/cuda/cluster_run.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace aaren::engine {
namespace {

constexpr size_t kStackBytes = 64 << 10, kAlignment = 128, kBars = 128;

thread_local ClusterRun* running = nullptr;  // a fiber's entry takes no pointer

void Entry() { running->RunThread(); }

}  // namespace

ClusterRun::ClusterRun(const ClusterGrid& grid, const std::function<void(ClusterThread&)>& kernel)
    : grid_(grid),
      kernel_(kernel),
      per_block_(static_cast<size_t>(grid.threads)),
      per_warps_(per_block_ / kWarp + 1),
      fibers_(per_block_ * static_cast<size_t>(grid.blocks)),
      device_(grid.pieces),
      order_(fibers_.size()),
      random_(grid.seed) {
  std::iota(order_.begin(), order_.end(), size_t{0});
  for (Fiber& fiber : fibers_) fiber.stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
}

void ClusterRun::Start(size_t thread) {
  Fiber& fiber = fibers_[thread];
  fiber.done = fiber.waits = false;
  fiber.bar = nullptr;
  fiber.clock = last_joined_;
  getcontext(&fiber.context);
  fiber.context.uc_stack = {.ss_sp = fiber.stack.get(), .ss_flags = 0, .ss_size = kStackBytes};
  fiber.context.uc_link = &scheduler_;
  makecontext(&fiber.context, Entry, 0);
  threads_.emplace_back(*this, static_cast<int>(thread % per_block_), static_cast<int>(BlockOf(thread)),
                        blocks_[BlockOf(thread)].begin);
}

ClusterRun::SharedMemory::SharedMemory(size_t size, SharedWatch watched, const Meeting& fresh)
    : bytes(size + kAlignment, static_cast<char>(0xff)),
      begin(bytes.data() + (kAlignment - reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment)),
      watch(std::move(watched)),
      bars(kBars) {
  barriers.fill(fresh);
}

void ClusterRun::Begin(int cluster) {
  cluster_ = cluster;
  const auto blocks = static_cast<size_t>(grid_.blocks);
  const Times none(blocks * per_warps_, 0);
  times_.assign(none.size(), 1);
  last_joined_ = std::make_shared<Times>(none);
  Meeting fresh;
  fresh.gathered = none;
  warps_.assign(fibers_.size() / kWarp, fresh);
  all_ = fresh;
  blocks_.clear();
  blocks_.reserve(blocks);
  for (size_t i = 0; i < blocks; ++i) {
    blocks_.emplace_back(grid_.shared_bytes, SharedWatch(grid_.shared_bytes, i * per_warps_, per_warps_ - 1), fresh);
  }
  device_.Begin(cluster);
  threads_.clear();
  threads_.reserve(fibers_.size());
  for (size_t i = 0; i < fibers_.size(); ++i) Start(i);
}

void ClusterRun::Run(int cluster) {
  Begin(cluster);
  running = this;
  while (fault_.empty() && !std::all_of(fibers_.begin(), fibers_.end(), [](const Fiber& f) { return f.done; })) {
    const bool ran = RunReady();
    if (!LandSome() && !ran) {
      current_ = static_cast<size_t>(
          std::find_if(fibers_.begin(), fibers_.end(), [](const Fiber& f) { return !f.done; }) - fibers_.begin());
      fault_ = "block " + std::to_string(BlockOf(current_)) + ", thread " + std::to_string(current_ % per_block_) +
               ": a barrier that some threads never come to";
    }
  }
}

bool ClusterRun::RunReady() {
  std::shuffle(order_.begin(), order_.end(), random_);
  bool ran = false;
  for (size_t thread : order_) {
    if (!Ready(fibers_[thread])) continue;
    ran = true;
    current_ = thread;
    swapcontext(&scheduler_, &fibers_[thread].context);
    if (!fault_.empty()) break;
  }
  return ran;
}

// Often lands nothing as long as a thread can run.
bool ClusterRun::LandSome() {
  const bool idle = std::none_of(fibers_.begin(), fibers_.end(), [&](const Fiber& fiber) { return Ready(fiber); });
  bool landed = false;
  for (SharedMemory& block : blocks_) {
    if (block.flights.empty() || (!idle && random_() % 4 != 0)) continue;
    landed = true;
    for (size_t n = 1 + random_() % block.flights.size(); n > 0; --n) Land(block);
  }
  return landed;
}

void ClusterRun::Land(SharedMemory& block) {
  Flight& flight = block.flights.front();
  std::memcpy(flight.to, flight.bytes.data(), flight.bytes.size());
  Raise(flight.bar->gathered, *flight.clock);
  flight.bar->gathered[flight.warp] = std::max(flight.bar->gathered[flight.warp], flight.time);
  flight.bar->bytes -= static_cast<int64_t>(flight.bytes.size());
  End(*flight.bar);
  block.flights.pop_front();
}

void ClusterRun::Fault(const std::string& what) {
  if (fault_.empty()) {
    fault_ = "cluster " + std::to_string(cluster_) + ", block " + std::to_string(BlockOf(current_)) + ", thread " +
             std::to_string(current_ % per_block_) + ": " + what;
  }
  Now().done = true;
  for (;;) Yield();
}

void ClusterRun::Join(Meeting& meeting, size_t threads, bool waits, bool together) {
  Raise(meeting.gathered, *Now().clock);
  const size_t warp = WarpOf(current_);
  if (together && (meeting.warps.empty() || meeting.warps.back() != warp)) meeting.warps.push_back(warp);
  if (waits) meeting.waiting.push_back(current_);
  if (++meeting.count == threads) {
    Finish(meeting);
  } else if (waits) {
    Now().waits = true;
    Yield();
  }
}

void ClusterRun::Finish(Meeting& meeting) {
  std::sort(meeting.warps.begin(), meeting.warps.end());
  meeting.warps.erase(std::unique(meeting.warps.begin(), meeting.warps.end()), meeting.warps.end());
  for (size_t warp : meeting.warps) meeting.gathered[warp] = times_[warp]++;
  meeting.result = std::make_shared<Times>(meeting.gathered);
  for (size_t thread : meeting.waiting) {
    fibers_[thread].waits = false;
    if (&meeting != &all_) fibers_[thread].clock = meeting.result;  // else the thread has learnt more since
  }
  meeting.count = 0;
  ++meeting.generation;
  meeting.warps.clear();
  meeting.waiting.clear();
}

void ClusterRun::ArriveCluster() {
  SyncWarp();
  Now().arrived = all_.generation;
  Join(all_, fibers_.size(), false, false);
}

void ClusterRun::WaitCluster() {
  while (all_.generation == Now().arrived) {
    all_.waiting.push_back(current_);
    Now().waits = true;
    Yield();
  }
  Learn(all_.result);
}

float ClusterRun::Exchange(float number, int mask) {
  Now().number = number;
  SyncWarp();
  const float got = fibers_[current_ ^ static_cast<size_t>(mask)].number;
  SyncWarp();
  return got;
}

void ClusterRun::Learn(const Clock& clock) {
  Fiber& fiber = Now();
  if (clock == nullptr || fiber.clock == clock) return;
  if (last_join_.first != fiber.clock || last_join_.second != clock) {
    Times joined = *fiber.clock;
    Raise(joined, *clock);
    last_join_ = {fiber.clock, clock};
    last_joined_ = std::make_shared<Times>(std::move(joined));
  }
  fiber.clock = last_joined_;
}

ClusterRun::Bar& ClusterRun::BarAt(SharedMemory& block, const void* at) {
  const auto i = block.OffsetOf(at) / sizeof(uint64_t);
  if (i >= block.bars.size()) Fault("a barrier lies outside");
  return block.bars[i];
}

void ClusterRun::End(Bar& bar) {
  if (bar.pending != 0 || bar.bytes != 0) return;
  bar.phase ^= 1;
  bar.pending = bar.arrivals;
  bar.result = std::make_shared<Times>(bar.gathered);
}

void ClusterRun::SetUp(Bar& bar, int arrivals) {
  bar = {.ready = true,
         .arrivals = arrivals,
         .pending = arrivals,
         .gathered = Times(Now().clock->size(), 0),
         .result = nullptr};
}

void ClusterRun::Release(Bar& bar, int64_t bytes, int arrivals) {
  if (!bar.ready) Fault("a barrier that was never set up");
  if (bar.pending < arrivals) Fault("a barrier has more arrivals than it was told");
  Raise(bar.gathered, *Now().clock);
  bar.bytes += bytes;
  bar.pending -= arrivals;
  End(bar);
}

void ClusterRun::WaitFor(Bar& bar, int parity) {
  if (!bar.ready) Fault("a barrier that was never set up");
  while (bar.phase == parity) {
    Now().bar = &bar;
    Now().parity = parity;
    Yield();
    Now().bar = nullptr;
  }
  Learn(bar.result);
}

WatchedThread ClusterRun::Watched() const {
  return {WarpOf(current_), static_cast<uint8_t>(current_ % kWarp), times_, *fibers_[current_].clock};
}

void ClusterRun::CheckInside(const SharedMemory& block, const void* at, size_t bytes, size_t unit) {
  const auto offset = static_cast<const char*>(at) - block.begin;
  if (offset < 0 || static_cast<uint64_t>(offset) + bytes > grid_.shared_bytes) {
    Fault("an access outside of shared memory");
  }
  if (static_cast<size_t>(offset) % unit != 0) Fault("several numbers that are not aligned");
}

void ClusterRun::Read(const void* at, size_t bytes) {
  Require(Block().watch.Read(Watched(), Block().OffsetOf(at), bytes));
}

void ClusterRun::Write(SharedMemory& block, const void* at, size_t bytes) {
  Require(block.watch.Write(Watched(), block.OffsetOf(at), bytes));
}

void ClusterRun::Launch(size_t rank, char* to, const void* from, size_t bytes, Bar& bar) {
  SharedMemory& target = Block(rank);
  if (!bar.ready) Fault("a barrier that was never set up");
  Write(target, to, bytes);
  const size_t engine = EngineOf(BlockOf(current_));
  const uint32_t time = times_[engine]++;
  target.watch.GiveToCopy(target.OffsetOf(to), bytes, engine, time);
  const char* begin = static_cast<const char*>(from);
  Block().flights.push_back({{begin, begin + bytes}, to, &bar, Now().clock, engine, time});
}

}  // namespace aaren::engine
