#ifndef AAREN_SERVER_OPERATE_ADMIN_PROFILE_CPU_SAMPLER_H_
#define AAREN_SERVER_OPERATE_ADMIN_PROFILE_CPU_SAMPLER_H_

// A CpuSampler notes the running thread and its stack after each interval of the process's CPU time. The kernel sends
// SIGPROF (ITIMER_PROF), and the handler writes the stack into memory allocated at the start: the handler neither
// allocates nor locks.
//
// A computing thread gets the signal, a waiting thread does not: waiting system calls are not cut short. The handler
// stays for the process' life, since without a handler a late signal would end the program.
//
// Threading: one thread starts, stops and reads the sampler; one sampler at a time in a process.

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace aaren::admin {

struct CpuSample {
  static constexpr int kFrames = 48;  // the innermost of deeper stacks

  pid_t thread = 0;
  int depth = 0;
  void* frames[kFrames];  // innermost first: the interrupted address, then return addresses
};

class CpuSampler {
 public:
  static constexpr size_t kSamples = 8192;  // 3 MiB; further samples are dropped

  // ResourceExhausted if a sampler runs already; Internal if the kernel has no such timer. `interval`: CPU time of all
  // threads together.
  static absl::StatusOr<std::unique_ptr<CpuSampler>> Start(absl::Duration interval);
  ~CpuSampler();  // Stop()

  void Stop();

  // REQUIRES: stopped.
  absl::Span<const CpuSample> samples() const;
  size_t dropped() const;

  // For the signal handler: notes a sample of the thread interrupted at `pc`.
  void Take(void* pc);

 private:
  CpuSampler() : samples_(kSamples) {}

  std::vector<CpuSample> samples_;
  std::atomic<size_t> taken_{0};  // with the dropped samples
  bool running_ = true;
};

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_PROFILE_CPU_SAMPLER_H_
