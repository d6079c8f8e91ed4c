#ifndef AAREN_TESTS_BENCH_SERVER_DRIVER_H_
#define AAREN_TESTS_BENCH_SERVER_DRIVER_H_

// A Driver keeps a server busy: a number of streams on one connection or several, sessions on each, and a window of
// unanswered messages a session. Each message carries one Tokens item. The driver answers every reply with the
// session's next item at once (a closed loop), and counts answered points. Single-threaded: Run works on the caller's
// thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "grpcpp/grpcpp.h"

namespace aaren::bench {

struct DriverOptions {
  int streams = 4;
  int streams_per_connection = 250;  // the server takes 256
  int sessions = 1000;               // spread evenly over the streams
  int points_per_message = 1;
  int window = 16;             // items unanswered per session
  std::string name = "bench";  // begins the session ids
  bool merge =
      false;  // send every item that may go out in one message, as the client library does; else one item a message
};

class Driver {
 public:
  // Connects, opens every stream and every session.
  static absl::StatusOr<std::unique_ptr<Driver>> Connect(const std::string& target, const DriverOptions& options);
  ~Driver();

  // Exchanges messages for `duration`, then waits for all answers. Returns points answered per second.
  absl::StatusOr<double> Run(absl::Duration duration);

  // Reads everything, ends of streams too, until `over`: a client that only waits while its server leaves.
  void StayUntil(const absl::Notification& over);

  uint64_t points() const { return points_; }  // answered so far

 private:
  class Stream;
  struct Tag;

  explicit Driver(const DriverOptions& options);
  bool Next(absl::Time deadline);

  const DriverOptions options_;
  grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<v1::Streaming::Stub>> stubs_;  // a connection each, for streams_per_connection streams
  std::vector<std::unique_ptr<Stream>> streams_;
  uint64_t points_ = 0;     // answered
  uint64_t in_flight_ = 0;  // items
  int opening_ = 0;         // sessions asked for and not open yet
  bool sending_ = false;
  absl::Status status_;
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_SERVER_DRIVER_H_
