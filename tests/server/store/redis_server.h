#ifndef AAREN_TESTS_SERVER_STORE_REDIS_SERVER_H_
#define AAREN_TESTS_SERVER_STORE_REDIS_SERVER_H_

// A RedisServer is a real redis-server on a free port of 127.0.0.1, with its data in a temporary folder. It ends, by
// its process id, with this object. Threading: one thread.

#include <sys/types.h>

#include <string>
#include <vector>

#include "server/store/redis/redis_options.h"

namespace aaren::store {

class RedisServer {
 public:
  // Where redis-server is; empty if it is not installed: then a test is to be skipped.
  static std::string Installed();

  // `arguments` follow those of its own. Returns when it accepts connections.
  explicit RedisServer(std::vector<std::string> arguments = {});
  ~RedisServer();

  RedisOptions options() const;
  int port() const { return port_; }

  // What redis-cli would print of it, errors included; of a list one element a line.
  std::string Command(const std::vector<std::string>& command) const;

  void Signal(int signal) const;  // SIGSTOP, SIGCONT
  void Kill();                    // without a word to anybody
  void Start();                   // again, on the same port, with what its files have
  void DeleteData() const;        // the files

 private:
  bool Answers() const;

  const std::vector<std::string> arguments_;
  const std::string folder_;
  const int port_;
  pid_t pid_ = 0;
};

}  // namespace aaren::store

#endif  // AAREN_TESTS_SERVER_STORE_REDIS_SERVER_H_
