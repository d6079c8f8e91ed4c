#ifndef AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_
#define AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_

// The aaren-server beside this program, as a user would start it: one shard, the bundled model, and a RocksDB in a
// folder of its own. Threading: as ServerProcess.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/e2e/soak/server_process.h"

namespace aaren::bench {

// `flags` come on top; one of them is `--metrics_listen`. Internal, naming the log, if the server does not start.
absl::StatusOr<std::unique_ptr<soak::ServerProcess>> StartSavingServer(const std::string& folder,
                                                                       const std::vector<std::string>& flags);

// The number of done calls of the store: `operation` is "save", "load" and the like.
double StoreCalls(const soak::ServerProcess& server, const std::string& operation);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_STORE_SAVING_SERVER_H_
