#ifndef AAREN_SERVER_PROGRAM_SERVER_OPTIONS_H_
#define AAREN_SERVER_PROGRAM_SERVER_OPTIONS_H_

// What the settings mean to the parts of the server: how many shards there are, and how the memory is shared out.
// server/README.md, "Memory that clients can take", tells each share. Pure but for the limit of file descriptors,
// which is raised.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/config.h"
#include "server/memory/memory_budget.h"
#include "server/rpc/server.h"

namespace aaren::program {

// The cores that shards keep to; none if they may be anywhere. InvalidArgument, which begins with the setting's name.
absl::StatusOr<std::vector<int>> CoresOf(const config::ServerConfig& config);

// One a core unless the settings say how many. REQUIRES: CoresOf is ok.
int ShardCount(const config::ServerConfig& config);

// Bytes that the server may take: the setting, or three quarters of the machine's.
uint64_t MemoryOf(const config::ServerConfig& config);

// What of `memory` sessions may cost: the size of their budget, bytes.
uint64_t SessionMemory(uint64_t memory);

// Everything but who is let in. `budget` outlives what is made of it.
rpc::ServerOptions ToServerOptions(const config::ServerConfig& config, uint64_t memory, memory::MemoryBudget& budget);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_SERVER_OPTIONS_H_
