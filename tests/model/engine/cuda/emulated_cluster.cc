#include "tests/model/engine/cuda/emulated_cluster.h"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/engine/cuda/stream/kernel.h"

namespace aaren::engine {
namespace {

constexpr size_t kStackBytes = 64 << 10;
constexpr size_t kWarp = 32, kMostWarps = kStreamThreads / kWarp;
constexpr size_t kNamedBarriers = 16, kAllBarrier = 0, kWorkersBarrier = 15, kBars = 128;
constexpr uint8_t kSeveral = 63;

// A time of every warp.
using Times = std::vector<uint32_t>;
using Clock = std::shared_ptr<const Times>;

void Raise(Times& times, const Times& to) {
  for (size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], to[i]);
}

// A warp's time, and the lane.
struct Access {
  uint32_t time = 0;  // 0: never
  uint8_t lane = 0;   // kSeveral: more than one
};

struct Word {
  int16_t writer = -1;  // a warp
  Access written;
  std::array<Access, kMostWarps> read;  // of shared memory: by its block's warps
};

struct GlobalWord {
  int16_t writer = -1;
  Access written;
  std::vector<std::pair<int16_t, Access>> read;
  int cluster = -1;     // of its writer, or the only cluster that has read it
  bool dirty = false;   // some cluster has written it
  bool shared = false;  // several clusters have read it
};

struct Meeting {
  size_t count = 0;
  uint64_t generation = 0;
  Times gathered;
  std::vector<size_t> warps, waiting;  // warps whose time goes up; threads
  Clock result;
};

struct Bar {
  bool ready = false;
  int arrivals = 0, pending = 0;
  int64_t bytes = 0;  // still to come
  int phase = 0;
  Times gathered;
  Clock result;
};

struct Flight {
  std::vector<char> bytes;
  char* to;
  Bar* bar;
  Clock clock;
  size_t warp;  // the engine's
  uint32_t time;
};

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  bool done = false, waits = false;
  Bar* bar = nullptr;  // waited for, and the parity that must end
  int parity = 0;
  uint64_t arrived = 0;  // the cluster's generation
  float number = 0;      // for other lanes
  Clock clock;
};

struct SharedMemory {
  std::vector<char> bytes;
  char* begin = nullptr;
  std::vector<Word> words;
  std::vector<Bar> bars;
  std::deque<Flight> flights;
  std::array<Meeting, kNamedBarriers> barriers;
};

}  // namespace

class ClusterRun {
 public:
  ClusterRun(const ClusterGrid& grid, const std::function<void(ClusterThread&)>& kernel);

  void Run(int cluster);
  const std::string& fault() const { return fault_; }
  int cluster() const { return cluster_; }
  [[noreturn]] void Fault(const std::string& what);  // the thread goes no further
  void RunThread() {
    kernel_(threads_[current_]);
    Now().done = true;
  }

  size_t BlockOf(size_t thread) const { return thread / per_block_; }
  size_t WarpOf(size_t thread) const { return BlockOf(thread) * per_warps_ + thread % per_block_ / kWarp; }
  size_t EngineOf(size_t block) const { return block * per_warps_ + per_warps_ - 1; }
  Fiber& Now() { return fibers_[current_]; }
  SharedMemory& Block() { return blocks_[BlockOf(current_)]; }
  SharedMemory& Block(size_t rank) { return blocks_[rank]; }

  void Join(Meeting& meeting, size_t threads, bool waits, bool together);
  void SyncWarp() { Join(warps_[current_ / kWarp], kWarp, true, true); }
  void ArriveCluster();
  void WaitCluster();
  Meeting& Barrier(size_t id) { return Block().barriers[id]; }
  float Exchange(float number, int mask);

  Bar& BarAt(SharedMemory& block, const void* at);
  void Release(Bar& bar, int64_t bytes, int arrivals);
  void WaitFor(Bar& bar, int parity);

  // Faults unless the running thread may read or write.
  void CheckInside(const SharedMemory& block, const void* at, size_t bytes, size_t unit);
  void Read(SharedMemory& block, const void* at, size_t bytes);
  void Write(SharedMemory& block, const void* at, size_t bytes);
  void TouchGlobal(const void* at, size_t bytes, bool write);
  void CheckInPieces(const void* at, size_t bytes);
  void Launch(size_t block, char* to, const void* from, size_t bytes, Bar& bar);

 private:
  void Start(size_t thread);
  void Yield() { swapcontext(&Now().context, &scheduler_); }
  bool Ready(const Fiber& fiber) const {
    return !fiber.done && !fiber.waits && (fiber.bar == nullptr || fiber.bar->phase != fiber.parity);
  }
  bool RunReady();
  bool LandSome();
  void Land(SharedMemory& block);
  void End(Bar& bar);
  void Finish(Meeting& meeting);
  void Learn(const Clock& clock);
  bool Known(size_t warp, const Access& access) const;
  Access NowAccess() const { return {times_[WarpOf(current_)], static_cast<uint8_t>(current_ % kWarp)}; }

  const ClusterGrid& grid_;
  const std::function<void(ClusterThread&)>& kernel_;
  const size_t per_block_, per_warps_;  // threads; warps and the engine
  int cluster_ = 0;
  size_t current_ = 0;
  std::vector<Fiber> fibers_;
  std::vector<ClusterThread> threads_;
  std::vector<SharedMemory> blocks_;
  std::vector<Meeting> warps_;
  Meeting all_;
  Times times_;  // of every warp, now
  std::unordered_map<uintptr_t, GlobalWord> global_;
  std::vector<size_t> order_;
  std::mt19937_64 random_;
  std::pair<Clock, Clock> last_join_;
  Clock last_joined_;
  ucontext_t scheduler_;
  std::string fault_;
};

namespace {

thread_local ClusterRun* running = nullptr;  // a fiber's entry takes no pointer

void Entry() { running->RunThread(); }

}  // namespace

ClusterRun::ClusterRun(const ClusterGrid& grid, const std::function<void(ClusterThread&)>& kernel)
    : grid_(grid),
      kernel_(kernel),
      per_block_(static_cast<size_t>(grid.threads)),
      per_warps_(per_block_ / kWarp + 1),
      fibers_(per_block_ * static_cast<size_t>(grid.blocks)),
      order_(fibers_.size()),
      random_(grid.seed) {
  std::iota(order_.begin(), order_.end(), size_t{0});
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

void ClusterRun::Run(int cluster) {
  constexpr size_t kAlignment = 128;
  cluster_ = cluster;
  const auto blocks = static_cast<size_t>(grid_.blocks);
  const Times none(blocks * per_warps_, 0);
  times_.assign(none.size(), 1);
  last_joined_ = std::make_shared<Times>(none);
  Meeting fresh;
  fresh.gathered = none;
  warps_.assign(fibers_.size() / kWarp, fresh);
  all_ = fresh;
  blocks_ = std::vector<SharedMemory>(blocks);
  for (SharedMemory& block : blocks_) {
    block.bytes.assign(grid_.shared_bytes + kAlignment, static_cast<char>(0xff));
    block.begin = block.bytes.data() + (kAlignment - reinterpret_cast<uintptr_t>(block.bytes.data()) % kAlignment);
    block.words.assign(grid_.shared_bytes / 4 + 1, {});
    block.bars.assign(kBars, {});
    block.barriers.fill(fresh);
  }
  for (auto& [at, word] : global_) word.writer = -1, word.read.clear();
  threads_.clear();
  threads_.reserve(fibers_.size());
  for (size_t i = 0; i < fibers_.size(); ++i) Start(i);
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

// `waits`: until all are here. `together`: the whole warp is here, and the warp's time goes up.
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
    if (&meeting != &all_) fibers_[thread].clock = meeting.result;  // else it has learnt more since it arrived
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

Bar& ClusterRun::BarAt(SharedMemory& block, const void* at) {
  const auto i = static_cast<size_t>(static_cast<const char*>(at) - block.begin) / sizeof(uint64_t);
  if (i >= block.bars.size()) Fault("a barrier lies outside");
  return block.bars[i];
}

void ClusterRun::End(Bar& bar) {
  if (bar.pending != 0 || bar.bytes != 0) return;
  bar.phase ^= 1;
  bar.pending = bar.arrivals;
  bar.result = std::make_shared<Times>(bar.gathered);
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

bool ClusterRun::Known(size_t warp, const Access& access) const {
  if (access.time == 0) return true;
  if (warp == WarpOf(current_)) return access.time < times_[warp] || access.lane == current_ % kWarp;
  return access.time <= (*fibers_[current_].clock)[warp];
}

void ClusterRun::CheckInside(const SharedMemory& block, const void* at, size_t bytes, size_t unit) {
  const auto offset = static_cast<const char*>(at) - block.begin;
  if (offset < 0 || static_cast<uint64_t>(offset) + bytes > grid_.shared_bytes) {
    Fault("an access outside of shared memory");
  }
  if (static_cast<size_t>(offset) % unit != 0) Fault("several numbers that are not aligned");
}

void ClusterRun::Read(SharedMemory& block, const void* at, size_t bytes) {
  const auto first = static_cast<size_t>(static_cast<const char*>(at) - block.begin) / 4;
  const Access now = NowAccess();
  const size_t warp = current_ % per_block_ / kWarp;
  for (size_t i = first; i < first + (bytes + 3) / 4; ++i) {
    Word& word = block.words[i];
    if (word.writer < 0) Fault("a number that was never written is read");
    if (!Known(static_cast<size_t>(word.writer), word.written)) {
      Fault("what warp " + std::to_string(word.writer) + " wrote is read, and no barrier lies between");
    }
    Access& read = word.read[warp];
    read = {now.time, read.time == now.time && read.lane != now.lane ? kSeveral : now.lane};
  }
}

void ClusterRun::Write(SharedMemory& block, const void* at, size_t bytes) {
  const auto first = static_cast<size_t>(static_cast<const char*>(at) - block.begin) / 4;
  const size_t warps = static_cast<size_t>(&block - blocks_.data()) * per_warps_;
  for (size_t i = first; i < first + (bytes + 3) / 4; ++i) {
    Word& word = block.words[i];
    if (word.writer >= 0 && !Known(static_cast<size_t>(word.writer), word.written)) {
      Fault("what another thread wrote is written, and no barrier lies between");
    }
    for (size_t w = 0; w < per_warps_ - 1; ++w) {
      if (!Known(warps + w, word.read[w])) {
        Fault("what warp " + std::to_string(w) + " read is written, and no barrier lies between");
      }
    }
    word.writer = static_cast<int16_t>(WarpOf(current_));
    word.written = NowAccess();
  }
}

void ClusterRun::CheckInPieces(const void* at, size_t bytes) {
  const auto place = reinterpret_cast<uintptr_t>(at);
  if (grid_.pieces != nullptr) {
    auto piece = grid_.pieces->upper_bound(place);
    if (piece != grid_.pieces->begin()) {
      --piece;
      if (place + bytes <= piece->first + piece->second) return;
    }
  }
  Fault("an access outside of the device's memory");
}

void ClusterRun::TouchGlobal(const void* at, size_t bytes, bool write) {
  CheckInPieces(at, bytes);
  const Access now = NowAccess();
  const auto warp = static_cast<int16_t>(WarpOf(current_));
  for (uintptr_t i = reinterpret_cast<uintptr_t>(at) / 4; i < (reinterpret_cast<uintptr_t>(at) + bytes + 3) / 4; ++i) {
    GlobalWord& word = global_[i];
    const bool others = word.cluster >= 0 && (word.cluster != cluster_ || word.shared);
    if (others && (write || word.dirty)) Fault("another cluster touches the same place of the device's memory");
    word.shared |= others;
    word.cluster = cluster_;
    word.dirty |= write;
    bool known = word.writer < 0 || Known(static_cast<size_t>(word.writer), word.written);
    for (const auto& [reader, read] : word.read) known &= !write || Known(static_cast<size_t>(reader), read);
    if (!known) Fault("the device's memory is used twice, and no barrier lies between");
    if (write) {
      word.writer = warp;
      word.written = now;
      word.read.clear();
    } else if (word.read.empty() || word.read.back().first != warp || word.read.back().second.time != now.time) {
      word.read.emplace_back(warp, now);
    } else if (word.read.back().second.lane != now.lane) {
      word.read.back().second.lane = kSeveral;
    }
  }
}

void ClusterRun::Launch(size_t rank, char* to, const void* from, size_t bytes, Bar& bar) {
  SharedMemory& target = Block(rank);
  if (!bar.ready) Fault("a barrier that was never set up");
  Write(target, to, bytes);
  const size_t engine = EngineOf(BlockOf(current_));
  const uint32_t time = times_[engine]++;
  const auto first = static_cast<size_t>(to - target.begin) / 4;
  for (size_t i = first; i < first + bytes / 4; ++i) {
    target.words[i].writer = static_cast<int16_t>(engine);
    target.words[i].written = {time, 0};
  }
  const char* begin = static_cast<const char*>(from);
  Block().flights.push_back({{begin, begin + bytes}, to, &bar, Now().clock, engine, time});
}

int ClusterThread::cluster() const { return run_->cluster(); }
void ClusterThread::SyncAll() { run_->Join(run_->Barrier(kAllBarrier), kStreamThreads, true, true); }
void ClusterThread::ArriveAll() {
  run_->SyncWarp();
  run_->Join(run_->Barrier(kAllBarrier), kStreamThreads, false, false);
}
void ClusterThread::Sync() { run_->Join(run_->Barrier(kWorkersBarrier), kStreamWorkers, true, true); }
void ClusterThread::Named(int id, int threads) {
  run_->Join(run_->Barrier(static_cast<size_t>(id)), static_cast<size_t>(threads), true, true);
}
void ClusterThread::SyncWarp() { run_->SyncWarp(); }
void ClusterThread::ArriveCluster() { run_->ArriveCluster(); }
void ClusterThread::WaitCluster() { run_->WaitCluster(); }
float ClusterThread::AcrossLanes(float number, int mask) { return run_->Exchange(number, mask); }

void ClusterThread::SetUpBar(uint64_t* bar, int arrivals) {
  Bar& at = run_->BarAt(run_->Block(), bar);
  const size_t warps = run_->Now().clock->size();
  at = {.ready = true, .arrivals = arrivals, .pending = arrivals, .gathered = Times(warps, 0), .result = nullptr};
}
void ClusterThread::Arrive(uint64_t* bar) { run_->Release(run_->BarAt(run_->Block(), bar), 0, 1); }
void ClusterThread::Expect(uint64_t* bar, uint32_t bytes) {
  run_->Release(run_->BarAt(run_->Block(), bar), static_cast<int64_t>(bytes), 1);
}
void ClusterThread::Wait(uint64_t* bar, int parity) { run_->WaitFor(run_->BarAt(run_->Block(), bar), parity & 1); }

void ClusterThread::Copy(char* to, const std::byte* from, uint32_t bytes, uint64_t* bar) {
  if (reinterpret_cast<uintptr_t>(from) % 16 != 0 || bytes % 16 != 0) run_->Fault("a copy that is not aligned");
  run_->CheckInside(run_->Block(), to, bytes, 16);
  run_->CheckInPieces(from, bytes);
  run_->Launch(static_cast<size_t>(rank_), to, from, bytes, run_->BarAt(run_->Block(), bar));
}

void ClusterThread::SendBytes(float* at, int rank, const float* numbers, size_t bytes, uint64_t* bar) const {
  SharedMemory& target = run_->Block(static_cast<size_t>(rank));
  run_->CheckInside(run_->Block(), at, bytes, Unit(bytes));
  char* to = target.begin + (reinterpret_cast<char*>(at) - shared_);
  const void* signal = target.begin + (reinterpret_cast<char*>(bar) - shared_);
  run_->Launch(static_cast<size_t>(rank), to, numbers, bytes, run_->BarAt(target, signal));
}

void ClusterThread::Read(const void* from, void* to, size_t bytes, size_t unit) const {
  run_->CheckInside(run_->Block(), from, bytes, unit);
  run_->Read(run_->Block(), from, bytes);
  std::memcpy(to, from, bytes);
}
void ClusterThread::Write(void* to, const void* from, size_t bytes, size_t unit) const {
  run_->CheckInside(run_->Block(), to, bytes, unit);
  run_->Write(run_->Block(), to, bytes);
  std::memcpy(to, from, bytes);
}
void ClusterThread::ReadGlobal(const void* from, void* to, size_t bytes) const {
  run_->TouchGlobal(from, bytes, false);
  std::memcpy(to, from, bytes);
}
void ClusterThread::WriteGlobal(void* to, const void* from, size_t bytes) const {
  run_->TouchGlobal(to, bytes, true);
  std::memcpy(to, from, bytes);
}
void ClusterThread::ReadConstant(const void* from, void* to, size_t bytes) const {
  run_->CheckInPieces(from, bytes);
  std::memcpy(to, from, bytes);
}

std::string RunClusters(const ClusterGrid& grid, const std::function<void(ClusterThread&)>& kernel) {
  ClusterRun run(grid, kernel);
  for (uint32_t i = 0; i < grid.clusters && run.fault().empty(); ++i) run.Run(static_cast<int>(i));
  return run.fault();
}

namespace {

template <size_t kForm>
bool RunForm(const ForwardCall& call, const StreamPlan& plan, const ClusterGrid& grid, std::string& fault) {
  constexpr StreamForm kThis = kStreamForms[kForm];
  if (kThis.tokens != plan.tokens || kThis.blocks != plan.cluster) return false;
  fault = RunClusters(grid, [&](ClusterThread& thread) { RunStream<kThis.tokens, kThis.blocks>(thread, call, plan); });
  return true;
}

template <size_t... kForms>
std::string RunAnyForm(const ForwardCall& call, const StreamPlan& plan, const ClusterGrid& grid,
                       std::index_sequence<kForms...>) {
  std::string fault = "no such form";
  (RunForm<kForms>(call, plan, grid, fault) || ...);
  return fault;
}

}  // namespace

std::string RunStreamKernel(const ForwardCall& call, const StreamPlan& plan, uint64_t seed,
                            const DevicePieces& pieces) {
  return RunAnyForm(call, plan,
                    {.clusters = call.block_count,
                     .blocks = plan.cluster,
                     .shared_bytes = plan.shared_bytes,
                     .seed = seed,
                     .pieces = &pieces},
                    std::make_index_sequence<kStreamFormCount>());
}

}  // namespace aaren::engine
