#ifndef AAREN_TESTS_SERVER_STORE_REDIS_SERVER_H_
#define AAREN_TESTS_SERVER_STORE_REDIS_SERVER_H_

// A RedisServer is a real redis-server on a free port of 127.0.0.1, with data in a temporary folder. The destructor
// ends the process, by id. Threading: single-threaded.

#include <sys/types.h>

#include <string>
#include <vector>

#include "server/store/redis/redis_options.h"

namespace aaren::store {

class RedisServer {
 public:
  // The path of redis-server; empty if not installed: a test is skipped.
  static std::string Installed();

  // `arguments` come after the fixture's own, but a file of settings comes first. Returns once the server accepts
  // connections.
  explicit RedisServer(std::vector<std::string> arguments = {});
  ~RedisServer();

  RedisOptions options() const;
  int port() const { return port_; }

  // The answer in redis-cli's form, errors included; for a list an element a line.
  std::string Command(const std::vector<std::string>& command) const;

  void Signal(int signal) const;  // SIGSTOP, SIGCONT
  void Kill();                    // without a word to anybody
  void Start();                   // again, on the same port, with the same files
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
