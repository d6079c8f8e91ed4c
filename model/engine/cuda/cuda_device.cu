// The shared library of the engine's kernel for NVIDIA GPUs: the block of threads of a GPU, and the table of device.h
// over CUDA's runtime. The library takes GPU 0 of the GPUs left by CUDA_VISIBLE_DEVICES.
//
// Compiled with -fmad=false -ftz=false -prec-div=true -prec-sqrt=true: the exact tier's bits depend on these flags.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "model/engine/cuda/device/device.h"
#include "model/engine/cuda/kernel.h"
#include "model/engine/cuda/stream/cuda_launch.h"

namespace aaren::engine {
namespace {

constexpr int kThreads = 256;
constexpr int kGpu = 0;

// The type in which `bytes` of memory are moved.
template <int bytes>
struct Word;
template <>
struct Word<16> {
  using Type = int4;
};
template <>
struct Word<8> {
  using Type = int2;
};
template <>
struct Word<4> {
  using Type = int;
};

// Numbers of shared memory or of the GPU's memory. Const numbers do not change while the kernel runs.
template <class T>
class GpuView {
 public:
  using Value = std::remove_const_t<T>;

  __device__ __forceinline__ explicit GpuView(T* data) : data_(data) {}

  __device__ __forceinline__ Value Get(int64_t i) const { return data_[i]; }
  __device__ __forceinline__ void Put(int64_t i, Value value) const { data_[i] = value; }

  template <int kMany>
  __device__ __forceinline__ void GetMany(int64_t i, Value (&to)[kMany]) const {
    constexpr int kBytes = kMany * sizeof(T), kUnit = kBytes < 16 ? kBytes : 16;
    using Unit = typename Word<kUnit>::Type;
    const Unit* from = reinterpret_cast<const Unit*>(data_ + i);
    Unit units[kBytes / kUnit];
#pragma unroll
    for (int j = 0; j < kBytes / kUnit; ++j) {
      if constexpr (std::is_const_v<T>) {
        units[j] = __ldg(from + j);
      } else {
        units[j] = from[j];
      }
    }
    memcpy(to, units, kBytes);
  }

  template <int kMany>
  __device__ __forceinline__ void PutMany(int64_t i, const Value (&from)[kMany]) const {
    constexpr int kBytes = kMany * sizeof(T), kUnit = kBytes < 16 ? kBytes : 16;
    using Unit = typename Word<kUnit>::Type;
    Unit units[kBytes / kUnit];
    memcpy(units, from, kBytes);
    Unit* to = reinterpret_cast<Unit*>(data_ + i);
#pragma unroll
    for (int j = 0; j < kBytes / kUnit; ++j) to[j] = units[j];
  }

 private:
  T* data_;
};

extern __shared__ int4 shared_memory[];

class GpuBlock {
 public:
  using Operations = math::ScalarOperations;
  template <class T>
  using View = GpuView<T>;

  __device__ __forceinline__ int thread() const { return threadIdx.x; }
  __device__ __forceinline__ constexpr int threads() const { return kThreads; }
  __device__ __forceinline__ int block() const { return blockIdx.x; }
  __device__ __forceinline__ void Sync() { __syncthreads(); }

  template <class T>
  __device__ __forceinline__ View<T> Shared(uint64_t offset, int64_t) const {
    return View<T>(reinterpret_cast<T*>(reinterpret_cast<char*>(shared_memory) + offset));
  }
  template <class T>
  __device__ __forceinline__ View<T> Global(T* pointer, int64_t) const {
    return View<T>(pointer);
  }
};

// One block a processor: 32 tokens take so much shared memory that a second block has no room.
__global__ void __launch_bounds__(kThreads, 1) ForwardKernel(const __grid_constant__ ForwardCall call) {
  GpuBlock block;
  Kernel<GpuBlock>(block, call).Run();
}

// Null if all is well. Clears the error that the runtime remembers, because the caller is told of the error now.
const char* InWords(cudaError_t error) {
  if (error == cudaSuccess) return nullptr;
  cudaGetLastError();
  return cudaGetErrorString(error);
}

// A GPU older than the kernel has no code to load.
const char* Missing() {
  int driver = 0, devices = 0;
  if (const char* error = InWords(cudaDriverGetVersion(&driver))) return error;
  if (driver == 0) return "no driver for NVIDIA GPUs is installed";
  if (const char* error = InWords(cudaGetDeviceCount(&devices))) return error;
  if (devices == 0) return "this machine has no NVIDIA GPU";
  cudaFuncAttributes attributes;
  return InWords(cudaFuncGetAttributes(&attributes, ForwardKernel));
}

const char* Facts(DeviceFacts* facts) {
  cudaDeviceProp properties;
  if (const char* error = InWords(cudaGetDeviceProperties(&properties, kGpu))) return error;
  *facts = {};
  std::snprintf(facts->name, sizeof(facts->name), "%s", properties.name);
  facts->memory_bytes = properties.totalGlobalMem;
  facts->shared_bytes = properties.sharedMemPerBlockOptin;
  facts->processors = properties.multiProcessorCount;
  facts->threads = kThreads;
  for (int form = 0; form < kStreamFormCount; ++form) {
    facts->clusters[form] = StreamLauncher::Clusters(form, static_cast<int>(facts->shared_bytes));
  }
  return nullptr;
}

cudaStream_t StreamOf(void* queue) { return static_cast<cudaStream_t>(queue); }

const char* Allocate(size_t bytes, void** memory) { return InWords(cudaMalloc(memory, bytes)); }
void Release(void* memory) { cudaFree(memory); }
const char* AllocateHost(size_t bytes, void** memory) { return InWords(cudaMallocHost(memory, bytes)); }
void ReleaseHost(void* memory) { cudaFreeHost(memory); }

// Apart from the default stream, which other parts of the program may use.
const char* OpenQueue(void** queue) {
  return InWords(cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t*>(queue), cudaStreamNonBlocking));
}

void CloseQueue(void* queue) {
  cudaStreamSynchronize(StreamOf(queue));
  cudaStreamDestroy(StreamOf(queue));
}

const char* CopyIn(void* queue, void* device, const void* host, size_t bytes) {
  return InWords(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, StreamOf(queue)));
}

const char* CopyOut(void* queue, void* host, const void* device, size_t bytes) {
  return InWords(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, StreamOf(queue)));
}

const char* Forward(void* queue, const ForwardCall* call) {
  const uint64_t shared = SharedBytes(call->program, call->tile_tokens);
  const auto most = cudaFuncAttributeMaxDynamicSharedMemorySize;
  if (const char* error = InWords(cudaFuncSetAttribute(ForwardKernel, most, static_cast<int>(shared)))) return error;
  ForwardKernel<<<call->block_count, kThreads, shared, StreamOf(queue)>>>(*call);
  return InWords(cudaGetLastError());
}

const char* ForwardStreamed(void* queue, const ForwardCall* call, const StreamPlan* plan) {
  return InWords(StreamLauncher::Launch(StreamOf(queue), *call, *plan));
}

const char* Poll(void* queue, bool* done) {
  const cudaError_t error = cudaStreamQuery(StreamOf(queue));
  *done = error == cudaSuccess;
  if (error != cudaErrorNotReady) return InWords(error);
  cudaGetLastError();
  return nullptr;
}

const char* Wait(void* queue) { return InWords(cudaStreamSynchronize(StreamOf(queue))); }

}  // namespace
}  // namespace aaren::engine

extern "C" __attribute__((visibility("default"))) const aaren::engine::DeviceTable* AarenDevice() {
  using namespace aaren::engine;
  static const DeviceTable table = {kDeviceVersion, Missing,     Facts,           Allocate,   Release,
                                    AllocateHost,   ReleaseHost, OpenQueue,       CloseQueue, CopyIn,
                                    CopyOut,        Forward,     ForwardStreamed, Poll,       Wait};
  return &table;
}
