#ifndef AAREN_TESTS_E2E_SOAK_SERVER_PROCESS_H_
#define AAREN_TESTS_E2E_SOAK_SERVER_PROCESS_H_

// A ServerProcess is the real aaren-server on free ports, its metrics and its memory. Threading: any thread, but for
// Terminate.

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace aaren::soak {

class ServerProcess {
 public:
  // Null, with a word on standard error, if it does not start. Its standard error goes to `log`.
  static std::unique_ptr<ServerProcess> Start(const std::string& program, std::vector<std::string> flags,
                                              const std::string& log);
  ~ServerProcess();  // kills it

  const std::string& address() const { return address_; }

  // By name and labels, as Prometheus writes them; empty if the server did not answer.
  std::map<std::string, double> Metrics() const;

  uint64_t ResidentBytes() const;

  // Its exit status, or minus the signal that ended it; none while it runs.
  std::optional<int> Ended();

  // SIGTERM, and its end; none if it took longer than `most`.
  std::optional<int> Terminate(absl::Duration most);

 private:
  ServerProcess(pid_t pid, int output);

  pid_t pid_;
  int output_;
  std::string address_, metrics_address_;
  std::optional<int> ended_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_SERVER_PROCESS_H_
