#ifndef AAREN_SERVER_PROGRAM_PROCESS_LIMITS_H_
#define AAREN_SERVER_PROGRAM_PROCESS_LIMITS_H_

// Limits of the process (ulimit) too low for a start. Libraries meet a limit somewhere on the way, and many abort
// without a word. Hence one line tells the operator which limit to raise.

#include <exception>

#include "absl/status/status.h"

namespace aaren::program {

// ResourceExhausted if the process may open fewer files than a server needs.
absl::Status CheckOpenFiles();

// While a StartGuard lives and a library ends the process, a line names the limit behind the end, with exit status 1:
//
//   refused memory       the address space (ulimit -v)
//   a refused thread     processes (ulimit -u), the address space, pids.max of the control group
//   an abort             the address space
//
// Without a limited address space an abort stays an abort. Threading: one StartGuard at a time, of the main thread.
class StartGuard {
 public:
  StartGuard();
  ~StartGuard();

 private:
  const std::terminate_handler before_;
};

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_PROCESS_LIMITS_H_
