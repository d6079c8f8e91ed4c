#include "model/engine/cuda/stream/cuda_launch.h"

namespace aaren::engine {
namespace {

cudaLaunchConfig_t ConfigOf(int clusters, int blocks, uint32_t shared_bytes, cudaLaunchAttribute* attribute) {
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = static_cast<unsigned>(blocks);
  attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(clusters * blocks));
  config.blockDim = dim3(kStreamThreads);
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = attribute;
  config.numAttrs = blocks > 1 ? 1 : 0;
  return config;
}

int FormOf(const StreamPlan& plan) {
  int form = 0;
  while (kStreamForms[form].tokens != plan.tokens || kStreamForms[form].blocks != plan.cluster) ++form;
  return form;
}

}  // namespace

#ifdef AAREN_WITH_STREAMS
const void* StreamLauncher::KernelOf(int form) {
  using Kernel = const void* (*)();
  static constexpr Kernel kKernels[] = {StreamKernelOf<0>, StreamKernelOf<1>, StreamKernelOf<2>, StreamKernelOf<3>,
                                        StreamKernelOf<4>, StreamKernelOf<5>, StreamKernelOf<6>};
  static_assert(sizeof(kKernels) / sizeof(Kernel) == kStreamFormCount);
  return kKernels[form]();
}
#else
const void* StreamLauncher::KernelOf(int) { return nullptr; }
#endif

int StreamLauncher::Clusters(int form, int shared_bytes) {
  constexpr int kPortable = 8;  // blocks of a cluster that every such GPU has
  const void* kernel = KernelOf(form);
  const int blocks = kStreamForms[form].blocks;
  int count = 0;
  cudaError_t error = kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  if (error == cudaSuccess) {
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  }
  if (error == cudaSuccess && blocks > kPortable) {
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  if (error == cudaSuccess && blocks > 1) {
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = ConfigOf(1, blocks, static_cast<uint32_t>(shared_bytes), &attribute);
    error = cudaOccupancyMaxActiveClusters(&count, kernel, &config);
  } else if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  }
  if (error == cudaSuccess) return count;
  cudaGetLastError();
  return 0;
}

cudaError_t StreamLauncher::Launch(cudaStream_t stream, const ForwardCall& call, const StreamPlan& plan) {
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t config = ConfigOf(static_cast<int>(call.block_count), plan.cluster, plan.shared_bytes, &attribute);
  config.stream = stream;
  ForwardCall call_argument = call;
  StreamPlan plan_argument = plan;
  void* arguments[] = {&call_argument, &plan_argument};
  return cudaLaunchKernelExC(&config, KernelOf(FormOf(plan)), arguments);
}

}  // namespace aaren::engine
