#ifndef AAREN_SERVER_PROGRAM_SHUTDOWN_SIGNAL_H_
#define AAREN_SERVER_PROGRAM_SHUTDOWN_SIGNAL_H_

// Waits for SIGTERM and SIGINT on a thread of its own: the first signal asks for a shutdown; a second, or the end of
// the grace period, ends the process at once. Never destroyed. REQUIRES: made before any other thread, since all
// threads must leave both signals to it.

#include <pthread.h>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace aaren::program {

class ShutdownSignal {
 public:
  explicit ShutdownSignal(absl::Duration grace);

  void Wait() { asked_.WaitForNotification(); }

  // Everything is saved and closed. Only memory remains to be given back, and libraries may take their time: a second
  // later the process ends in any case, with status 0.
  void Done();

 private:
  absl::Notification asked_, done_;
  pthread_t waiter_;
};

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_SHUTDOWN_SIGNAL_H_
