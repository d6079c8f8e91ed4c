#ifndef AAREN_SERVER_PROGRAM_SERVER_OPTIONS_H_
#define AAREN_SERVER_PROGRAM_SERVER_OPTIONS_H_

// The settings as options for the parts of the server: the number of shards, and the shares of the memory.
// server/README.md, "Memory that clients can take", has each share. Pure functions, but the limit of file descriptors
// is raised.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/machine/memory/memory_budget.h"
#include "server/net/rpc/server.h"
#include "server/program/config/config.h"

namespace aaren::program {

// The cores that shards keep to; none: any core. InvalidArgument, beginning with the setting's name.
absl::StatusOr<std::vector<int>> CoresOf(const config::ServerConfig& config);

// A shard a core unless the settings have a number. REQUIRES: CoresOf is ok.
int ShardCount(const config::ServerConfig& config);

// Bytes that the server may take: the setting, or three quarters of the machine's.
uint64_t MemoryOf(const config::ServerConfig& config);

// The part of `memory` for sessions: the size of their budget, bytes.
uint64_t SessionMemory(uint64_t memory);

// Every option but credentials and callers. `budget` outlives the server.
rpc::ServerOptions ToServerOptions(const config::ServerConfig& config, uint64_t memory, memory::MemoryBudget& budget);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_SERVER_OPTIONS_H_
