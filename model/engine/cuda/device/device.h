#ifndef AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_H_
#define AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_H_

// DeviceTable is the engine's access to a device, a table of functions: memory, queues of copies and calls, and the
// kernel. The shared library libaaren_engine_cuda.so has the table of a GPU (device_library.h), and the tests have a
// table of this CPU. The engine links nothing of CUDA, and the library knows nothing of Abseil.
//
// A queue does its work in order, beside the work of all other queues. A function returns null, or the fault in words
// that live for ever, and never throws. After an error of a queue, memory used by the queue may not be trusted.
// Threading: any thread may call any function; a queue serves one thread at a time.

#include <cstddef>
#include <cstdint>

#include "model/engine/cuda/program.h"
#include "model/engine/cuda/stream/plan.h"

namespace aaren::engine {

struct DeviceFacts {
  char name[256];
  uint64_t memory_bytes;
  uint64_t shared_bytes;               // the most that a block of threads can have
  int32_t processors;                  // blocks that can run side by side, at least
  int32_t threads;                     // threads of the plain kernel's blocks: a multiple of 16
  int32_t clusters[kStreamFormCount];  // clusters of each streamed form that can run side by side; 0: none
};

struct DeviceTable {
  int version;  // kDeviceVersion of the library's build; the first member, readable in a table of any version

  // Null if this machine has a driver and a device for the kernel, else the name of the missing thing.
  const char* (*missing)();
  const char* (*facts)(DeviceFacts* facts);

  // Memory of the device, aligned to 256; memory of the host for fast copies.
  const char* (*allocate)(size_t bytes, void** memory);
  void (*release)(void* memory);
  const char* (*allocate_host)(size_t bytes, void** memory);
  void (*release_host)(void* memory);

  const char* (*open_queue)(void** queue);
  void (*close_queue)(void* queue);  // waits for the queue's work
  const char* (*copy_in)(void* queue, void* device, const void* host, size_t bytes);
  const char* (*copy_out)(void* queue, void* host, const void* device, size_t bytes);
  const char* (*forward)(void* queue, const ForwardCall* call);  // the plain kernel
  const char* (*forward_streamed)(void* queue, const ForwardCall* call, const StreamPlan* plan);
  const char* (*poll)(void* queue, bool* done);  // done: the queue is empty; never blocks
  const char* (*wait)(void* queue);              // blocks until the queue is empty
};

// Goes up with any change of this table, of program.h or of stream/plan.h.
constexpr int kDeviceVersion = 2;

// The exported function's name and type.
constexpr char kDeviceEntry[] = "AarenDevice";
using DeviceEntry = const DeviceTable* (*)();

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_H_
