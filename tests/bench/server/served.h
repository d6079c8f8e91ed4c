#ifndef AAREN_TESTS_BENCH_SERVER_SERVED_H_
#define AAREN_TESTS_BENCH_SERVER_SERVED_H_

// A Served is a server in a separate process: the server's memory and processor time are told apart from the client's.
// The process is aaren-bench-server, beside the program and without LibTorch.
//
//   bare     a gRPC echo and nothing else: drain, and one merged write a stream; replies as large as the real server's
//   echo     the real server with an engine of Steps without work: Step only fills in numbers
//   wide     the echo server with as many numbers a token as the bundled model's
//   bundled  the real server with the bundled model and no saving

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace aaren::bench {

struct ServedOptions {
  int shards = 1;            // a real server's; both sides of a comparison have one thread
  std::string program = "";  // another build's aaren-bench-server; empty: the own build's
};

class Served {
 public:
  static absl::StatusOr<std::unique_ptr<Served>> Start(const std::string& kind, const ServedOptions& options = {});
  ~Served();  // ends the process

  const std::string& target() const { return target_; }  // "127.0.0.1:PORT"
  int64_t resident_bytes() const;
  double cpu_seconds() const;
  int64_t row_bytes() const { return row_bytes_; }  // for the session state; 0 for `bare`

 private:
  Served(pid_t pid, int input) : pid_(pid), input_(input) {}

  pid_t pid_;
  int input_;  // the process ends when the input is closed
  std::string target_;
  int64_t row_bytes_ = 0;
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_SERVER_SERVED_H_
