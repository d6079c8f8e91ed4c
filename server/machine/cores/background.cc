#include "server/machine/cores/background.h"

#include <utility>

namespace aaren::cores {

Background::~Background() {
  {
    absl::MutexLock lock(&mutex_);
    ending_ = true;
  }
  thread_.join();
}

void Background::Post(Task task) {
  absl::MutexLock lock(&mutex_);
  tasks_.push_back(std::move(task));
}

void Background::Run() {
  for (;;) {
    Task task;
    {
      absl::MutexLock lock(&mutex_, absl::Condition(this, &Background::called));
      // The end waits for all tasks posted before.
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace aaren::cores
