#ifndef AAREN_SERVER_STORE_OPEN_STORE_H_
#define AAREN_SERVER_STORE_OPEN_STORE_H_

// Makes the store that the settings name. Another kind of store is added here.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/config/config.h"
#include "server/memory/memory_budget.h"
#include "server/store/store.h"

namespace aaren::store {

// InvalidArgument or as the store's own Open, naming the setting. `memory` is what the process may take, bytes;
// `budget` is that of sessions, and outlives the store.
absl::StatusOr<std::unique_ptr<StateStore>> OpenStore(const config::ServerConfig& config, uint64_t memory,
                                                      memory::MemoryBudget& budget);

// aaren/ below $XDG_STATE_HOME, or below ~/.local/state. Empty if there is neither.
std::string DefaultDataFolder();

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_OPEN_STORE_H_
