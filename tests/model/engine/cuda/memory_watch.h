#ifndef AAREN_TESTS_MODEL_ENGINE_CUDA_MEMORY_WATCH_H_
#define AAREN_TESTS_MODEL_ENGINE_CUDA_MEMORY_WATCH_H_

// The watch over the memory of an emulated cluster: a read or a write is a fault unless barriers order the access
// behind earlier accesses of the cluster's threads. emulated_cluster.h tells how clocks follow the barriers.
//
// A method returns the fault, or an empty string. After a fault the watch is of no more use.
// Threading: belongs to one run.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/engine/cuda/stream/plan.h"
#include "tests/model/engine/cuda/emulated_block.h"

namespace aaren::engine {

constexpr size_t kWarp = 32;
constexpr uint8_t kSeveral = 63;  // in the place of a lane: several lanes

// A time of every warp, in the order of the blocks. Copies and sends are a block's last warp.
using Times = std::vector<uint32_t>;
using Clock = std::shared_ptr<const Times>;

void Raise(Times& times, const Times& to);

// A warp's time, and the lane.
struct Access {
  uint32_t time = 0;  // 0: never
  uint8_t lane = 0;   // or kSeveral
};

// The thread reading or writing now.
struct WatchedThread {
  // True if barriers order the access of the warp `other` before now.
  bool Knows(size_t other, const Access& access) const;
  Access Now() const { return {times[warp], lane}; }

  size_t warp;
  uint8_t lane;
  const Times& times;  // now
  const Times& clock;  // the thread's
};

// The shared memory of one block.
class SharedWatch {
 public:
  // `warps`: how many of the block's warps, from `first_warp` on, are threads.
  SharedWatch(size_t bytes, size_t first_warp, size_t warps)
      : words_(bytes / 4 + 1), first_warp_(first_warp), warps_(warps) {}

  // `offset`: bytes from the beginning of the shared memory. REQUIRES: the bytes lie inside; a thread reads its block.
  std::string Read(const WatchedThread& thread, size_t offset, size_t bytes);
  std::string Write(const WatchedThread& thread, size_t offset, size_t bytes);

  // A copy under way writes the numbers, at `time` of the warp `engine`.
  void GiveToCopy(size_t offset, size_t bytes, size_t engine, uint32_t time);

 private:
  struct Word {
    int16_t writer = -1;  // a warp
    Access written;
    std::array<Access, kStreamThreads / kWarp> read;  // by warps of the block
  };

  std::vector<Word> words_;
  size_t first_warp_, warps_;
};

// The memory of the device, over all clusters of a run.
class DeviceWatch {
 public:
  explicit DeviceWatch(const DevicePieces* pieces) : pieces_(pieces) {}

  void Begin(int cluster);
  std::string CheckInside(const void* at, size_t bytes) const;
  std::string Touch(const WatchedThread& thread, const void* at, size_t bytes, bool write);

 private:
  struct Word {
    int16_t writer = -1;  // a warp of the cluster
    Access written;
    std::vector<std::pair<int16_t, Access>> read;
    int cluster = -1;     // the writer's, or the only reading cluster
    bool dirty = false;   // a cluster has written the word
    bool shared = false;  // several clusters have read the word
  };

  const DevicePieces* pieces_;
  int cluster_ = 0;
  std::unordered_map<uintptr_t, Word> words_;
};

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_CUDA_MEMORY_WATCH_H_
