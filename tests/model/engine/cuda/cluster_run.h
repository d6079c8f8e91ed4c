#ifndef AAREN_TESTS_MODEL_ENGINE_CUDA_CLUSTER_RUN_H_
#define AAREN_TESTS_MODEL_ENGINE_CUDA_CLUSTER_RUN_H_

// A ClusterRun runs the threads of one cluster after another as fibers: fibers run and copies land in a random order,
// barriers wait and join clocks, and the first fault ends the run. emulated_cluster.h has the model of the clocks. Run,
// fault and cluster are the caller's. The running fiber calls all further methods, for the fiber's own thread.
//
// Threading: belongs to one thread.

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/engine/cuda/emulated_cluster.h"
#include "tests/model/engine/cuda/memory_watch.h"

namespace aaren::engine {

class ClusterRun {
 public:
  // A barrier of threads.
  struct Meeting {
    size_t count = 0;
    uint64_t generation = 0;
    Times gathered;
    std::vector<size_t> warps, waiting;  // warps whose time goes up; threads
    Clock result;
  };

  // A barrier in shared memory, of arrivals and bytes.
  struct Bar {
    bool ready = false;
    int arrivals = 0, pending = 0;
    int64_t bytes = 0;  // still to come
    int phase = 0;
    Times gathered;
    Clock result;
  };

  // A copy or a send under way.
  struct Flight {
    std::vector<char> bytes;
    char* to;
    Bar* bar;
    Clock clock;
    size_t warp;  // the engine's
    uint32_t time;
  };

  struct SharedMemory {
    SharedMemory(size_t bytes, SharedWatch watched, const Meeting& fresh);
    size_t OffsetOf(const void* at) const { return static_cast<size_t>(static_cast<const char*>(at) - begin); }

    std::vector<char> bytes;
    char* begin;
    SharedWatch watch;
    std::vector<Bar> bars;
    std::deque<Flight> flights;
    std::array<Meeting, 16> barriers;  // the named barriers
  };

  ClusterRun(const ClusterGrid& grid, const std::function<void(ClusterThread&)>& kernel);

  void Run(int cluster);
  const std::string& fault() const { return fault_; }
  int cluster() const { return cluster_; }
  [[noreturn]] void Fault(const std::string& what);  // the thread goes no further
  void RunThread() {
    kernel_(threads_[current_]);
    Now().done = true;
  }

  SharedMemory& Block() { return blocks_[BlockOf(current_)]; }
  SharedMemory& Block(size_t rank) { return blocks_[rank]; }
  Meeting& Barrier(size_t id) { return Block().barriers[id]; }

  // `waits`: until all are here. `together`: the whole warp is here, and the warp's time goes up.
  void Join(Meeting& meeting, size_t threads, bool waits, bool together);
  void SyncWarp() { Join(warps_[current_ / kWarp], kWarp, true, true); }
  void ArriveCluster();
  void WaitCluster();
  float Exchange(float number, int mask);

  Bar& BarAt(SharedMemory& block, const void* at);
  void SetUp(Bar& bar, int arrivals);
  void Release(Bar& bar, int64_t bytes, int arrivals);
  void WaitFor(Bar& bar, int parity);

  // Fault unless the running thread may read or write.
  void CheckInside(const SharedMemory& block, const void* at, size_t bytes, size_t unit);
  void Read(const void* at, size_t bytes);
  void Write(SharedMemory& block, const void* at, size_t bytes);
  void TouchGlobal(const void* at, size_t bytes, bool write) { Require(device_.Touch(Watched(), at, bytes, write)); }
  void CheckGlobal(const void* at, size_t bytes) { Require(device_.CheckInside(at, bytes)); }

  // Starts a copy to the shared memory of the block `rank`.
  void Launch(size_t rank, char* to, const void* from, size_t bytes, Bar& bar);

 private:
  struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done = false, waits = false;
    Bar* bar = nullptr;  // waited for, until `parity` ends
    int parity = 0;
    uint64_t arrived = 0;  // the cluster's generation
    float number = 0;      // for the warp's lanes
    Clock clock;
  };

  size_t BlockOf(size_t thread) const { return thread / per_block_; }
  size_t WarpOf(size_t thread) const { return BlockOf(thread) * per_warps_ + thread % per_block_ / kWarp; }
  size_t EngineOf(size_t block) const { return block * per_warps_ + per_warps_ - 1; }
  Fiber& Now() { return fibers_[current_]; }
  WatchedThread Watched() const;
  void Require(const std::string& fault) {
    if (!fault.empty()) Fault(fault);
  }

  void Begin(int cluster);
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
  Times times_;  // every warp's time
  DeviceWatch device_;
  std::vector<size_t> order_;
  std::mt19937_64 random_;
  std::pair<Clock, Clock> last_join_;
  Clock last_joined_;
  ucontext_t scheduler_;
  std::string fault_;
};

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_CUDA_CLUSTER_RUN_H_
