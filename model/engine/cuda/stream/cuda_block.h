#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_CUDA_BLOCK_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_CUDA_BLOCK_H_

// The `Block` of the streamed kernel (thread.h) on a GPU of compute capability 9.0: each member is an instruction or
// two of NVIDIA's PTX ISA. For the CUDA compiler only.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "model/engine/cuda/stream/plan.h"

namespace aaren::engine {

extern __shared__ __align__(128) char stream_shared_memory[];

#define AAREN_CUDA __device__ __forceinline__

template <int kBlocks>
class CudaStreamBlock {
 public:
  AAREN_CUDA int thread() const { return static_cast<int>(threadIdx.x); }
  AAREN_CUDA int rank() const {
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  AAREN_CUDA int cluster() const { return static_cast<int>(blockIdx.x) / kBlocks; }
  AAREN_CUDA char* shared() const { return stream_shared_memory; }

  // The block's registers go to the workers. Four neighbouring warps change their number together. All together may not
  // have more than at the start, 168 of each of 384 threads: the workers would wait for ever.
  AAREN_CUDA void FewRegisters() { asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); }
  AAREN_CUDA void ManyRegisters() { asm volatile("setmaxnreg.inc.sync.aligned.u32 240;"); }

  template <class T>
  AAREN_CUDA T Get(const T* from) const {
    return *from;
  }
  template <class T>
  AAREN_CUDA void Put(T* to, const T& value) const {
    *to = value;
  }
  AAREN_CUDA void GetWeights(const char* from, uint32_t (&to)[4]) const {
    const uint4 v = *reinterpret_cast<const uint4*>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  }
  template <int R>
  AAREN_CUDA void GetMany(const float* from, float (&to)[R]) const {
    if constexpr (R == 1) to[0] = *from;
    if constexpr (R == 2) {
      const float2 v = *reinterpret_cast<const float2*>(from);
      to[0] = v.x, to[1] = v.y;
    }
#pragma unroll
    for (int i = 0; i + 4 <= R; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(from + i);
      to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
    }
  }
  template <int R>
  AAREN_CUDA void PutMany(float* to, const float (&from)[R]) const {
    if constexpr (R == 1) *to = from[0];
    if constexpr (R == 2) *reinterpret_cast<float2*>(to) = make_float2(from[0], from[1]);
#pragma unroll
    for (int i = 0; i + 4 <= R; i += 4) {
      *reinterpret_cast<float4*>(to + i) = make_float4(from[i], from[i + 1], from[i + 2], from[i + 3]);
    }
  }
  AAREN_CUDA void Stage(char* to, const char* from) const {
    *reinterpret_cast<int4*>(to) = __ldg(reinterpret_cast<const int4*>(from));
  }

  // From the second cache: another block may have written the number in this call.
  AAREN_CUDA double Fresh(const double* from) const { return __ldcg(from); }
  template <class T>
  AAREN_CUDA void PutGlobal(T* to, T value) const {
    *to = value;
  }
  template <class T>
  AAREN_CUDA T Constant(const T* from) const {
    return *from;
  }
  AAREN_CUDA void Prefetch(const void* at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }
  AAREN_CUDA int64_t Clock() const { return clock64(); }
  AAREN_CUDA float Reciprocal(float number) const { return __frcp_rn(number); }

  AAREN_CUDA void SyncWarp() { __syncwarp(); }
  AAREN_CUDA float AcrossLanes(float number, int mask) { return __shfl_xor_sync(0xffffffffu, number, mask); }
  AAREN_CUDA void SyncAll() { asm volatile("bar.sync 0, %0;" ::"n"(kStreamThreads) : "memory"); }
  AAREN_CUDA void ArriveAll() {
    __syncwarp();
    asm volatile("bar.arrive 0, %0;" ::"n"(kStreamThreads) : "memory");
  }
  AAREN_CUDA void Sync() { asm volatile("bar.sync 15, %0;" ::"n"(kStreamWorkers) : "memory"); }
  AAREN_CUDA void Named(int id, int threads) {
    __syncwarp();
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
  }
  AAREN_CUDA void ArriveCluster() {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }
  AAREN_CUDA void WaitCluster() {
    __syncwarp();
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }

  AAREN_CUDA void SetUpBar(uint64_t* bar, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(Address(bar)), "r"(arrivals) : "memory");
  }
  // Copies and other blocks see the barriers from here on.
  AAREN_CUDA void ShowBars() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  AAREN_CUDA void Arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(Address(bar)) : "memory");
  }
  AAREN_CUDA void Expect(uint64_t* bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(Address(bar)), "r"(bytes) : "memory");
  }
  AAREN_CUDA void Wait(uint64_t* bar, int parity) {
    uint32_t done;
    do {
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(Address(bar)), "r"(parity & 1)
                   : "memory");
    } while (done == 0);
  }
  AAREN_CUDA void Copy(char* to, const std::byte* from, uint32_t bytes, uint64_t* bar) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(Address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(Address(bar))
        : "memory");
  }
  template <int R>
  AAREN_CUDA void Send(float* at, int rank, const float (&v)[R], uint64_t* bar) const {
    const uint32_t to = AddressIn(at, rank), signal = AddressIn(bar, rank);
    if constexpr (R == 1) {
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(to),
                   "f"(v[0]), "r"(signal)
                   : "memory");
    }
    if constexpr (R == 2) {
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(to),
                   "f"(v[0]), "f"(v[1]), "r"(signal)
                   : "memory");
    }
#pragma unroll
    for (int i = 0; i + 4 <= R; i += 4) {
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
              to + 4 * i),
          "f"(v[i]), "f"(v[i + 1]), "f"(v[i + 2]), "f"(v[i + 3]), "r"(signal)
          : "memory");
    }
  }

 private:
  AAREN_CUDA static uint32_t Address(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }
  AAREN_CUDA static uint32_t AddressIn(const void* at, int rank) {
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(Address(at)), "r"(rank));
    return there;
  }
};

#undef AAREN_CUDA

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_CUDA_BLOCK_H_
