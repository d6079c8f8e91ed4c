#ifndef AAREN_SERVER_OPERATE_ADMIN_PROFILE_CPU_PROFILE_H_
#define AAREN_SERVER_OPERATE_ADMIN_PROFILE_CPU_PROFILE_H_

// A CpuProfile tells which functions use the process' CPU time, from Begin to End. Threading: one thread; one at a time
// in a process.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/operate/admin/profile/cpu_sampler.h"

namespace aaren::admin {

struct FoldedProfile {
  std::string stacks = {};  // from FoldStacks; 3 MiB at most
  size_t samples = 0, dropped = 0;
  absl::Duration interval;  // CPU time between two samples
};

class CpuProfile {
 public:
  // `duration`: about how long the profile will run; sets the interval. Errors as CpuSampler::Start.
  static absl::StatusOr<CpuProfile> Begin(absl::Duration duration);

  // Takes some tenths of a second for the names.
  FoldedProfile End();

 private:
  CpuProfile(std::unique_ptr<CpuSampler> sampler, absl::Duration interval)
      : sampler_(std::move(sampler)), interval_(interval) {}

  std::unique_ptr<CpuSampler> sampler_;
  absl::Duration interval_;
};

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_PROFILE_CPU_PROFILE_H_
