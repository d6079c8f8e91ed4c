#ifndef AAREN_SERVER_OPERATE_ADMIN_PROFILE_FOLDED_STACKS_H_
#define AAREN_SERVER_OPERATE_ADMIN_PROFILE_FOLDED_STACKS_H_

// Samples as text for people and flame graphs: "shard-0;main;f;g 12", a line a stack, the most frequent first.

#include <cstddef>
#include <string>

#include "absl/types/span.h"
#include "server/operate/admin/profile/cpu_sampler.h"

namespace aaren::admin {

// Stacks beyond `most_bytes` are "[other stacks]", counted together. A function without a name is FILE+0xOFFSET, the
// form for addr2line, or its address. Ended threads are "(ended)".
std::string FoldStacks(absl::Span<const CpuSample> samples, size_t most_bytes);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_PROFILE_FOLDED_STACKS_H_
