#ifndef AAREN_SERVER_STORE_OPEN_STORE_H_
#define AAREN_SERVER_STORE_OPEN_STORE_H_

// Opens the store named by the settings. Another kind of store is added here.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/machine/memory/memory_budget.h"
#include "server/program/config/config.h"
#include "server/store/store.h"

namespace aaren::store {

// InvalidArgument, naming the setting, or the error of the store's own Open. `memory`: the process's limit in bytes;
// `budget` is the budget of sessions, and outlives the store.
absl::StatusOr<std::unique_ptr<StateStore>> OpenStore(const config::ServerConfig& config, uint64_t memory,
                                                      memory::MemoryBudget& budget);

// Copies the readable sessions of data_dir into the folder `salvage`. Each line given to `tell` names an unreadable
// session or file; the last line counts. True if all was copied. An error if nothing was read, or written there.
absl::StatusOr<bool> SalvageStore(const config::ServerConfig& config,
                                  const std::function<void(const std::string&)>& tell);

// aaren/ below $XDG_STATE_HOME, or below ~/.local/state. Empty without either.
std::string DefaultDataFolder();

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_OPEN_STORE_H_
