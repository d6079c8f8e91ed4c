#ifndef AAREN_TESTS_SERVER_PROGRAM_PROGRAM_H_
#define AAREN_TESTS_SERVER_PROGRAM_PROGRAM_H_

// aaren-server, run as a user runs the program. The build defines AAREN_SERVER, the program's path.

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace aaren {

// A limit of a process, by RLIMIT_….
struct Limit {
  int resource;
  rlim_t most;
};

// A running aaren-server with a state folder of its own. Standard error goes to a file. `limit`: the process's, if any.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments, std::optional<Limit> limit = std::nullopt);
  ~Program();  // kills the process

  // The next line of standard output, without the line end; empty at the end.
  std::string ReadLine();

  void Signal(int signal);

  // The exit status, or minus the signal that ended the process.
  int Wait();

  pid_t pid() const { return pid_; }
  const std::string& state() const { return state_; }

  // All of standard error.
  std::string Log() const;

 private:
  static inline int started_ = 0;
  const std::string log_;
  const std::string state_;
  pid_t pid_ = 0;
  int output_ = -1;
};

// The flags for free ports, of streams and of metrics.
std::vector<std::string> FreePorts();

// The HOST:PORT after `name`= in the line.
std::string AddressIn(const std::string& line, const std::string& name);

}  // namespace aaren

#endif  // AAREN_TESTS_SERVER_PROGRAM_PROGRAM_H_
