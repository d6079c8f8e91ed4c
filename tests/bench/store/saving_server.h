#ifndef AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_
#define AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_

// The aaren-server beside this program, as somebody starts it: one shard, the bundled model, and a RocksDB in a folder
// of its own. Threading: as ServerProcess.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/e2e/soak/server_process.h"

namespace aaren::bench {

// `flags` beside these; `--metrics_listen` is one of them. Internal, naming the log, if it does not start.
absl::StatusOr<std::unique_ptr<soak::ServerProcess>> StartSavingServer(const std::string& folder,
                                                                       const std::vector<std::string>& flags);

// How many calls of the store were done: `operation` is "save", "load" and so on.
double StoreCalls(const soak::ServerProcess& server, const std::string& operation);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_
