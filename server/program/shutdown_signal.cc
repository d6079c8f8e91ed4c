#include "server/program/shutdown_signal.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "server/operate/log/log.h"
#include "server/sessions/session/clock.h"

namespace aaren::program {
namespace {

constexpr absl::Duration kLeastGrace = absl::Seconds(1);  // saves need some time however small the setting
constexpr absl::Duration kTidying = absl::Seconds(1);     // to give memory back; nothing is lost when it ends

// The signal that came, or 0. A process that was stopped and continued keeps waiting.
int WaitFor(const sigset_t& signals, absl::Duration time) {
  const absl::Time deadline = session::Clock::System().Now() + time;
  for (;;) {
    const absl::Duration left = std::max(absl::ZeroDuration(), deadline - session::Clock::System().Now());
    const timespec timeout = absl::ToTimespec(left);
    const int signal = sigtimedwait(&signals, nullptr, &timeout);
    if (signal > 0) return signal;
    if (errno != EINTR) return 0;
  }
}

}  // namespace

ShutdownSignal::ShutdownSignal(absl::Duration grace) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread waiter([this, signals, grace] {
    int signal = 0;
    sigwait(&signals, &signal);
    log::Log(log::LogLevel::kInfo, "shutting down", {{"signal", strsignal(signal)}});
    asked_.Notify();
    signal = WaitFor(signals, std::max(grace, kLeastGrace));
    if (done_.HasBeenNotified()) {
      (void)WaitFor(signals, kTidying);
      _exit(0);
    }
    // The status by which a shell reports an end by a signal.
    if (signal > 0) _exit(128 + signal);
    log::Log(log::LogLevel::kError, "the grace period is over: what is not saved is lost");
    _exit(1);
  });
  waiter_ = waiter.native_handle();
  // Never joined: the waiter ends the process even if main hangs.
  waiter.detach();
}

// A signal tells the waiter, as ever: a new thread may not be available any more.
void ShutdownSignal::Done() {
  done_.Notify();
  pthread_kill(waiter_, SIGTERM);
}

}  // namespace aaren::program
