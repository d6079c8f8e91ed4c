#include "server/sessions/session/mailbox.h"

#include <utility>

namespace aaren::session {

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

// Takes the posted messages, once no earlier message is left.
void Mailbox::Fetch() {
  if (has_leftovers()) return;
  draining_.clear();
  next_ = 0;
  absl::MutexLock lock(&mutex_);
  messages_.swap(draining_);
}

void Mailbox::RunNext() {
  Message message = std::exchange(draining_[next_++], Message());
  message();
}

bool Mailbox::Drain(size_t at_most) {
  Fetch();
  const bool any = has_leftovers();
  for (size_t i = 0; i < at_most && has_leftovers(); ++i) RunNext();
  return any;
}

bool Mailbox::DrainFor(absl::Duration at_most, const Clock& clock) {
  Fetch();
  if (!has_leftovers()) return false;
  const int64_t deadline = clock.NowNanos() + absl::ToInt64Nanoseconds(at_most);
  do {
    RunNext();
  } while (has_leftovers() && clock.NowNanos() < deadline);
  return true;
}

}  // namespace aaren::session
