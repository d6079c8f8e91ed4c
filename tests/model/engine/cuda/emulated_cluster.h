#ifndef AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_CLUSTER_H_
#define AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_CLUSTER_H_

// ClusterThread is the `Block` of model/engine/cuda/stream/thread.h on a CPU. The threads of a cluster of blocks are
// fibers and run in a random order. Copies and sends in the background come late: at a random time, often only when all
// threads wait.
//
// Reads and writes are watched by *clocks*. A warp's time goes up when its lanes meet. A thread's clock has a time for
// every warp: all earlier reads and writes of the warp are known to the thread. Barriers join clocks. A thread may read
// a number whose write is known, and may write over a number whose reads and writes are known. So a missing barrier is
// a fault in any order of the threads. Copies and sends of a block count as one more warp, with the starting thread's
// clock.
//
// Further faults: accesses out of bounds or not aligned, reads of numbers never written, a place in the device's memory
// written by one cluster and touched by another, threads waiting for ever. The first fault ends the run.
// Threading: one thread makes a call of RunClusters.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include "model/engine/cuda/stream/plan.h"
#include "tests/model/engine/cuda/emulated_block.h"

namespace aaren::engine {

class ClusterRun;

class ClusterThread {
 public:
  ClusterThread(ClusterRun& run, int thread, int rank, char* shared)
      : run_(&run), thread_(thread), rank_(rank), shared_(shared) {}

  int thread() const { return thread_; }
  int rank() const { return rank_; }
  int cluster() const;
  char* shared() const { return shared_; }
  void FewRegisters() {}
  void ManyRegisters() {}
  void Prefetch(const void*) {}
  int64_t Clock() const { return 0; }
  float Reciprocal(float number) const { return 1.0f / number; }

  template <class T>
  T Get(const T* from) const {
    T got = {};
    Read(from, &got, sizeof(T), alignof(T));
    return got;
  }
  template <class T>
  void Put(T* to, const T& value) const {
    Write(to, &value, sizeof(T), alignof(T));
  }
  template <int R>
  void GetMany(const float* from, float (&to)[R]) const {
    Read(from, to, sizeof(to), Unit(sizeof(to)));
  }
  template <int R>
  void PutMany(float* to, const float (&from)[R]) const {
    Write(to, from, sizeof(from), Unit(sizeof(from)));
  }
  void GetWeights(const char* from, uint32_t (&to)[4]) const { Read(from, to, sizeof(to), 16); }
  void Stage(char* to, const char* from) {
    char bytes[16];
    ReadConstant(from, bytes, 16);
    Write(to, bytes, 16, 16);
  }

  template <class T>
  T Fresh(const T* from) const {
    T got = {};
    ReadGlobal(from, &got, sizeof(T));
    return got;
  }
  template <class T>
  void PutGlobal(T* to, const T& value) const {
    WriteGlobal(to, &value, sizeof(T));
  }
  template <class T>
  T Constant(const T* from) const {
    T got = {};
    ReadConstant(from, &got, sizeof(T));
    return got;
  }

  void SyncAll();
  void ArriveAll();
  void Sync();
  void Named(int id, int threads);
  void SyncWarp();
  void ArriveCluster();
  void WaitCluster();
  float AcrossLanes(float number, int mask);

  void SetUpBar(uint64_t* bar, int arrivals);
  void ShowBars() {}
  void Arrive(uint64_t* bar);
  void Expect(uint64_t* bar, uint32_t bytes);
  void Wait(uint64_t* bar, int parity);
  void Copy(char* to, const std::byte* from, uint32_t bytes, uint64_t* bar);
  template <int R>
  void Send(float* at, int rank, const float (&numbers)[R], uint64_t* bar) const {
    SendBytes(at, rank, numbers, sizeof(numbers), bar);
  }

 private:
  static size_t Unit(size_t bytes) { return bytes < 16 ? bytes : 16; }

  void Read(const void* from, void* to, size_t bytes, size_t unit) const;
  void Write(void* to, const void* from, size_t bytes, size_t unit) const;
  void ReadGlobal(const void* from, void* to, size_t bytes) const;
  void WriteGlobal(void* to, const void* from, size_t bytes) const;
  void ReadConstant(const void* from, void* to, size_t bytes) const;
  void SendBytes(float* at, int rank, const float* numbers, size_t bytes, uint64_t* bar) const;

  ClusterRun* run_;
  int thread_, rank_;
  char* shared_;
};

struct ClusterGrid {
  uint32_t clusters = 1;
  int blocks = 1;  // in a cluster
  int threads = kStreamThreads;
  uint64_t shared_bytes = 0;
  uint64_t seed = 1;
  const DevicePieces* pieces = nullptr;
};

// Runs `kernel` as every thread of every cluster. Returns the first fault, or nothing.
std::string RunClusters(const ClusterGrid& grid, const std::function<void(ClusterThread&)>& kernel);

// Runs the streamed kernel of a call by the plan.
std::string RunStreamKernel(const ForwardCall& call, const StreamPlan& plan, uint64_t seed, const DevicePieces& pieces);

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_CLUSTER_H_
