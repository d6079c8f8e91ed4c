#ifndef AAREN_TESTS_E2E_SOAK_SERVER_PROCESS_H_
#define AAREN_TESTS_E2E_SOAK_SERVER_PROCESS_H_

// A ServerProcess is the real aaren-server on free ports, with its metrics and its memory. Threading: any thread, but
// for Terminate.

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
  // Null, with a message on standard error, if the server does not start. The server's standard error goes to `log`.
  static std::unique_ptr<ServerProcess> Start(const std::string& program, std::vector<std::string> flags,
                                              const std::string& log);
  ~ServerProcess();  // kills the process

  const std::string& address() const { return address_; }

  // By name and labels, in Prometheus' form; empty without an answer.
  std::map<std::string, double> Metrics() const;

  uint64_t ResidentBytes() const;

  // The exit status, or minus the signal that ended the process; none while the process runs.
  std::optional<int> Ended();

  // Sends SIGTERM and waits for the end; none after `most`.
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
