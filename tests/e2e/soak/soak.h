#ifndef AAREN_TESTS_E2E_SOAK_SOAK_H_
#define AAREN_TESTS_E2E_SOAK_SOAK_H_

// A Soak is a storm of clients against a server, then a calm in which all clients finish their work. Then the soak
// checks the memory of the server, and sends SIGTERM while the server is busy again.

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "tests/e2e/soak/clients/clerk.h"
#include "tests/e2e/soak/clients/owner.h"
#include "tests/e2e/soak/clients/rival.h"
#include "tests/e2e/soak/memory.h"
#include "tests/e2e/soak/server_process.h"
#include "tests/e2e/soak/world.h"

namespace aaren::soak {

class Soak {
 public:
  Soak(World& world, ServerProcess& server);

  // True if every promise held. Broken promises were printed.
  bool Run(absl::Duration duration);

 private:
  void Storm(absl::Duration duration);
  void Calm();
  void AccuseUnfinished(const std::string& id);
  void CheckHappened();
  void CheckIdle();
  void CheckEmpty();
  void EndBusy();
  void Watch(absl::Duration duration, bool samples);
  bool Eventually(const std::function<bool()>& holds);
  double Held(const std::string& use);

  World& world_;
  ServerProcess& server_;
  Memory memory_;
  std::map<std::string, double> metrics_;  // the latest
  std::vector<std::unique_ptr<Owner>> owners_;
  std::vector<std::unique_ptr<Rival>> rivals_;
  std::unique_ptr<Clerk> clerk_;
};

// The server's flags: few rows, to force evictions, and limits within the clients' reach. `data_dir`: the folder of the
// store; empty: a store in memory.
std::vector<std::string> ServerFlags(const std::string& models, const std::string& data_dir);

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_SOAK_H_
