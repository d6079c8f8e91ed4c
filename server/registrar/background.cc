#include "server/registrar/background.h"

#include <utility>

namespace aaren::registrar {

Background::~Background() {
  std::thread thread;
  {
    absl::MutexLock lock(&mutex_);
    ending_ = true;
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

void Background::Post(Task task) {
  absl::MutexLock lock(&mutex_);
  tasks_.push_back(std::move(task));
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
}

void Background::Run() {
  for (;;) {
    Task task;
    {
      absl::MutexLock lock(&mutex_, absl::Condition(this, &Background::called));
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace aaren::registrar
