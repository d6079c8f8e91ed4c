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

bool Mailbox::Drain(size_t at_most) {
  if (!has_leftovers()) {
    draining_.clear();
    next_ = 0;
    absl::MutexLock lock(&mutex_);
    messages_.swap(draining_);
  }
  const bool any = has_leftovers();
  for (size_t i = 0; i < at_most && has_leftovers(); ++i) {
    Message message = std::exchange(draining_[next_++], Message());
    message();
  }
  return any;
}

}  // namespace aaren
