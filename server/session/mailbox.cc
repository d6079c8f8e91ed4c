#include "server/session/mailbox.h"

#include <utility>

namespace aaren {

void Mailbox::SetWaker(absl::AnyInvocable<void()> waker) { waker_ = std::move(waker); }

void Mailbox::Post(Message message) {
  bool was_empty = false;
  {
    absl::MutexLock lock(&mutex_);
    was_empty = messages_.empty();
    messages_.push_back(std::move(message));
  }
  if (was_empty && waker_) waker_();
}

bool Mailbox::Drain() {
  {
    absl::MutexLock lock(&mutex_);
    messages_.swap(draining_);
  }
  const bool any = !draining_.empty();
  for (Message& message : draining_) message();
  draining_.clear();
  return any;
}

}  // namespace aaren
