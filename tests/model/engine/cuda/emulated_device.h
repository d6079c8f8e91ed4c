#ifndef AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_DEVICE_H_
#define AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_DEVICE_H_

// The table of an emulated device (model/engine/cuda/device/device.h): an EmulatedBlock runs the kernel's own text on a
// CPU. The queues are late: enqueued work is done when a caller polls, a piece at a time, or waits. So a test sees
// memory overwritten too early. Fresh memory holds nonsense. A fault of the kernel is an error of the queue.
//
// A program has a single emulated device. Threading: any thread.

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

#include "model/engine/cuda/device/device.h"
#include "model/engine/cuda/program.h"

namespace aaren::engine {

struct BlockGrid;

// Runs the kernel of a call, and returns the first fault, or nothing.
using EmulatedRun = std::function<std::string(const BlockGrid& grid, const ForwardCall& call)>;

struct EmulatedSettings {
  int32_t threads = 64;
  int32_t processors = 2;             // few: tiles of every size come up
  uint64_t shared_bytes = 227 << 10;  // an H100's
  uint64_t memory_bytes = uint64_t{1} << 40;
  std::array<int32_t, kStreamFormCount> clusters = {};  // none: the plain kernel takes all calls
  uint64_t seed = 1;
  uint64_t fails_from = UINT64_MAX;  // the number of the kernel's first failing call
  EmulatedRun run = nullptr;         // in place of EmulatedBlock, for a closer watch
};

const DeviceTable& EmulatedDevice();

// Takes effect for later calls. REQUIRES: no queue is at work.
void SetUpEmulatedDevice(const EmulatedSettings& settings);

// Settings with the streamed kernel in the given forms only, by number (stream/plan.h).
EmulatedSettings Streamed(std::initializer_list<size_t> forms);

// Calls of the streamed kernel since the device was set up.
uint64_t StreamedCalls();

// The bytes allocated on the device now.
uint64_t EmulatedBytes();

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_DEVICE_H_
