#include "server/operate/admin/profile/cpu_profile.h"

#include <algorithm>
#include <thread>

#include "server/operate/admin/profile/folded_stacks.h"

namespace aaren::admin {
namespace {

constexpr absl::Duration kLeastInterval = absl::Milliseconds(10);  // the period of the kernel's timers, about
constexpr size_t kMostBytes = 3 << 20;                             // clients take messages of 4 MiB

}  // namespace

// With an interval long enough for room for all samples with every core busy.
absl::StatusOr<CpuProfile> CpuProfile::Begin(absl::Duration duration) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const absl::Duration fitting = duration * static_cast<int64_t>(cores) / static_cast<int64_t>(CpuSampler::kSamples);
  const absl::Duration interval = std::max(kLeastInterval, fitting);
  absl::StatusOr<std::unique_ptr<CpuSampler>> sampler = CpuSampler::Start(interval);
  if (!sampler.ok()) return sampler.status();
  return CpuProfile(*std::move(sampler), interval);
}

FoldedProfile CpuProfile::End() {
  sampler_->Stop();
  FoldedProfile profile{.samples = sampler_->samples().size(), .dropped = sampler_->dropped(), .interval = interval_};
  profile.stacks = FoldStacks(sampler_->samples(), kMostBytes);
  return profile;
}

}  // namespace aaren::admin
