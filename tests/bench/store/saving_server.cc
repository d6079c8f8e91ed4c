#include "tests/bench/store/saving_server.h"

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren::bench {

absl::StatusOr<std::unique_ptr<soak::ServerProcess>> StartSavingServer(const std::string& folder,
                                                                       const std::vector<std::string>& flags) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).replace_filename("aaren-server");
  std::vector<std::string> all = {"--listen=127.0.0.1:0", "--shards=1", "--store=rocksdb",
                                  absl::StrCat("--data_dir=", folder, "/data")};
  all.insert(all.end(), flags.begin(), flags.end());
  const std::string log = folder + "/log";
  std::unique_ptr<soak::ServerProcess> server = soak::ServerProcess::Start(program, all, log);
  if (server == nullptr) return absl::InternalError(absl::StrCat(program, " does not start; see ", log));
  return server;
}

double StoreCalls(const soak::ServerProcess& server, const std::string& operation) {
  const std::string label = absl::StrCat("operation=\"", operation, "\"");
  double calls = 0;
  for (const auto& [name, value] : server.Metrics()) {
    if (absl::StartsWith(name, "aaren_store_calls_total{") && absl::StrContains(name, label) &&
        absl::StrContains(name, "outcome=\"done\"")) {
      calls += value;
    }
  }
  return calls;
}

}  // namespace aaren::bench
