#ifndef AAREN_TESTS_BENCH_DEVICE_DEVICE_TIMES_H_
#define AAREN_TESTS_BENCH_DEVICE_DEVICE_TIMES_H_

// A device's table (model/engine/cuda/device/device.h) that remembers the last call of a kernel. The call can then be
// sent again and timed alone. A program has one table. Threading: any thread calls the table; the rest is for one
// thread, while no engine is at work.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/engine/cuda/device/device.h"

namespace aaren::bench {

class DeviceTimes {
 public:
  // The table in front of `device`. `forms`, by bits, are the only forms of its streamed kernel.
  static const engine::DeviceTable& TableOf(const engine::DeviceTable& device, unsigned forms);

  // Microseconds of the last call: call after call, and with many queues at work.
  static absl::StatusOr<double> Chained(int calls);
  static absl::StatusOr<double> Together(int queues, int calls);

  static uint32_t tokens();
  // "8x16" for tiles of 8 tokens and clusters of 16 blocks, or "plain 8".
  static std::string Kernel();

  // Cycles of the last call's first tile by kinds of steps, in words. Empty for the plain kernel.
  static absl::StatusOr<std::string> Cycles();
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_DEVICE_DEVICE_TIMES_H_
