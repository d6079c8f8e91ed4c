#include "server/machine/cores/periodic.h"

namespace aaren::cores {

Periodic::~Periodic() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void Periodic::Run(absl::Duration pause) {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, absl::ToChronoNanoseconds(pause), [this] { return stopping_; })) {
    // The task runs without the lock, so the destructor can set stopping_ meanwhile.
    lock.unlock();
    pause = task_();
    lock.lock();
  }
}

}  // namespace aaren::cores
