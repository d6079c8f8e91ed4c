#ifndef AAREN_CLIENT_CLI_TERMINAL_INTERRUPT_H_
#define AAREN_CLIENT_CLI_TERMINAL_INTERRUPT_H_

// An Interrupt tells a running subcommand to finish: on Ctrl-C or SIGTERM, by the clock, or from a part of the
// subcommand. Every wait for the outside world also waits for the interrupt. A polite end may itself hang (the server
// is gone): a second signal, or a few seconds after the first, calls `force`. If `force` does not help or is missing,
// the next signal or a second more ends the process with 128 + the signal, by quick_exit: nothing else ends a write to
// a terminal that nobody reads.
//
// Time is monotonic: a wall clock that is set back would prolong every wait.
//
// Threading: every member is safe from any thread. Create an Interrupt before any other thread: all threads must
// inherit the blocked signals. At most one Interrupt at a time.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/cli/terminal/byte_source.h"

namespace aaren::cli {

class Interrupt {
 public:
  using Clock = std::chrono::steady_clock;

  // Stops by itself after `duration`.
  explicit Interrupt(absl::Duration duration = absl::InfiniteDuration());
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void Stop();
  const std::atomic<bool>& stopped() const { return stopped_; }

  // The signal that stopped the subcommand; 0 without a signal.
  int signal() const { return signal_; }

  // Called at most once, on the interrupt's own thread. Null removes the function; SetForce returns only when no call
  // is in progress.
  void SetForce(std::function<void()> force);

  // Waits for the time; false if stopped before.
  bool WaitUntil(Clock::time_point time) const;

  // The bytes of an open file, called `name` in errors; reading ends with CANCELLED once stopped.
  ByteSource Bytes(int fd, std::string name) const;

 private:
  void Run();
  void Force();

  const Clock::time_point deadline_;
  int signals_;  // signalfd
  int wake_;     // eventfd, readable once stopped
  int quit_;     // eventfd, ends the thread
  std::atomic<bool> stopped_ = false;
  std::atomic<int> signal_ = 0;
  absl::Mutex mutex_;
  std::function<void()> force_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_INTERRUPT_H_
