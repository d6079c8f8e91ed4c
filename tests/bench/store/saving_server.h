#ifndef AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_
#define AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_

// The aaren-server beside the program, started like a user's: one shard, the bundled model, and a RocksDB in a separate
// folder. Threading: as ServerProcess.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/e2e/soak/server_process.h"

namespace aaren::bench {

// `flags` come on top, `--metrics_listen` included. Internal, naming the log, if the server does not start.
absl::StatusOr<std::unique_ptr<soak::ServerProcess>> StartSavingServer(const std::string& folder,
                                                                       const std::vector<std::string>& flags);

// The number of done calls of the store: `operation` is "save", "load" and the like.
double StoreCalls(const soak::ServerProcess& server, const std::string& operation);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_
