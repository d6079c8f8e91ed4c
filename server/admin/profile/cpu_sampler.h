#ifndef AAREN_SERVER_ADMIN_PROFILE_CPU_SAMPLER_H_
#define AAREN_SERVER_ADMIN_PROFILE_CPU_SAMPLER_H_

// A CpuSampler notes, each time that this process has used so much more of the CPU, which thread used it and what that
// was doing. The kernel tells by SIGPROF (ITIMER_PROF), whose handler writes the stack into memory that is there from
// the start: it neither allocates nor locks.
//
// A thread is signalled while it computes, and not while it waits: system calls that wait are not cut short by it. The
// handler stays for the process' life, since a signal that comes late would else end the program.
//
// Threading: one thread starts, stops and reads it; one sampler at a time in a process.

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
  static constexpr int kFrames = 48;  // of deeper stacks the innermost

  pid_t thread = 0;
  int depth = 0;
  void* frames[kFrames];  // the innermost first: where it was, then where each caller goes on
};

class CpuSampler {
 public:
  static constexpr size_t kSamples = 8192;  // 3 MiB; those beyond are dropped

  // ResourceExhausted if there is one already; Internal if the kernel has no such timer. `interval`: of CPU time, of
  // all threads together.
  static absl::StatusOr<std::unique_ptr<CpuSampler>> Start(absl::Duration interval);
  ~CpuSampler();  // Stop()

  void Stop();

  // REQUIRES: stopped.
  absl::Span<const CpuSample> samples() const;
  size_t dropped() const;

  // For the signal handler: notes a sample of the thread that was at `pc`.
  void Take(void* pc);

 private:
  CpuSampler() : samples_(kSamples) {}

  std::vector<CpuSample> samples_;
  std::atomic<size_t> taken_{0};  // also of those that found no room
  bool running_ = true;
};

}  // namespace aaren::admin

#endif  // AAREN_SERVER_ADMIN_PROFILE_CPU_SAMPLER_H_
