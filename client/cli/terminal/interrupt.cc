#include "client/cli/terminal/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::cli {
namespace {

using Clock = Interrupt::Clock;

constexpr std::chrono::seconds kGrace(5);      // to finish
constexpr std::chrono::seconds kLastGrace(1);  // after a forced end
constexpr Clock::time_point kNever = Clock::time_point::max();

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

int BlockSignals() {
  const sigset_t signals = Signals();
  // A signalfd gives blocked signals only.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

Clock::time_point After(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return kNever;
  const Clock::time_point now = Clock::now();
  return now + std::min<Clock::duration>(absl::ToChronoNanoseconds(duration), kNever - now);
}

void Raise(int eventfd) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(eventfd, &one, sizeof one);
}

// The timeout for poll: -1 waits for ever. At most an hour, to avoid an overflow.
int MillisUntil(Clock::time_point time) {
  if (time == kNever) return -1;
  const int64_t millis = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(millis, 0, 3'600'000));
}

}  // namespace

Interrupt::Interrupt(absl::Duration duration)
    : deadline_(After(duration)),
      signals_(BlockSignals()),
      wake_(eventfd(0, EFD_CLOEXEC)),
      quit_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

Interrupt::~Interrupt() {
  Raise(quit_);
  thread_.join();
  const sigset_t signals = Signals();
  // From here on a signal ends the program at once.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  close(signals_);
  close(wake_);
  close(quit_);
}

void Interrupt::Stop() {
  stopped_ = true;
  Raise(wake_);
}

void Interrupt::SetForce(std::function<void()> force) {
  absl::MutexLock lock(&mutex_);
  force_ = std::move(force);
}

void Interrupt::Force() {
  absl::MutexLock lock(&mutex_);
  if (!force_) std::quick_exit(128 + signal_);
  // The function is called once: the next force ends the process.
  std::exchange(force_, nullptr)();
}

void Interrupt::Run() {
  Clock::time_point deadline = deadline_;
  for (;;) {
    pollfd events[] = {{quit_, POLLIN, 0}, {signals_, POLLIN, 0}};
    poll(events, 2, MillisUntil(deadline));
    // The destructor ends the thread.
    if (events[0].revents != 0) return;
    signalfd_siginfo info;
    // A signal forces the end if the end has begun, for any reason.
    const bool again = stopped_;
    if (events[1].revents != 0 && read(signals_, &info, sizeof info) == sizeof info) {
      signal_ = static_cast<int>(info.ssi_signo);
      if (again) Force();
      deadline = Clock::now() + (again ? kLastGrace : kGrace);
      Stop();
    } else if (Clock::now() >= deadline) {
      // Without a signal nobody is waiting: the end may take its time.
      deadline = signal_ != 0 ? Clock::now() + kLastGrace : kNever;
      if (signal_ != 0) Force();
      Stop();
    }
  }
}

bool Interrupt::WaitUntil(Clock::time_point time) const {
  while (!stopped_ && Clock::now() < time) {
    pollfd event{wake_, POLLIN, 0};
    poll(&event, 1, MillisUntil(time));
  }
  return !stopped_;
}

ByteSource Interrupt::Bytes(int fd, std::string name) const {
  return [this, fd, name = std::move(name)](char* buffer, size_t size) -> absl::StatusOr<size_t> {
    for (;;) {
      pollfd events[] = {{wake_, POLLIN, 0}, {fd, POLLIN, 0}};
      poll(events, 2, -1);
      if (events[0].revents != 0) return absl::CancelledError("interrupted");
      if (events[1].revents == 0) continue;
      const ssize_t bytes = read(fd, buffer, size);
      if (bytes >= 0) return static_cast<size_t>(bytes);
      if (errno != EINTR && errno != EAGAIN) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", name));
    }
  };
}

}  // namespace aaren::cli
