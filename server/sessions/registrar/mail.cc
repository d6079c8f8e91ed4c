#include "server/sessions/registrar/mail.h"

#include <limits>

namespace aaren::registrar {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();

}  // namespace

std::function<void(session::Mailbox::Message)> Mail::WeakPost() const {
  return [inbox = std::weak_ptr<Inbox>(inbox_)](session::Mailbox::Message message) {
    if (const auto held = inbox.lock()) held->mailbox.Post(std::move(message));
  };
}

void Mail::Start() {
  inbox_->mailbox.SetWaker([inbox = inbox_.get()] {
    absl::MutexLock lock(&inbox->mutex);
    inbox->awake = true;
  });
  thread_ = std::thread([this] { Run(); });
}

void Mail::Stop() {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&inbox_->mutex);
    inbox_->stopping = true;
  }
  thread_.join();
}

void Mail::Run() {
  Inbox& inbox = *inbox_;
  const auto called = [&inbox]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(inbox.mutex) { return inbox.awake || inbox.stopping; };
  const auto awake = [&inbox]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(inbox.mutex) { return inbox.awake; };
  for (bool stopping = false; !Finished(stopping);) {
    {
      absl::MutexLock lock(&inbox.mutex);
      // While the thread stops, answers of the store to earlier calls wake the thread.
      stopping ? inbox.mutex.Await(absl::Condition(&awake)) : inbox.mutex.Await(absl::Condition(&called));
      inbox.awake = false;
      stopping = leaving_ = inbox.stopping;
    }
    while (Drain(kAll)) {
    }
  }
}

bool Mail::Drain(size_t at_most) {
  const bool any = inbox_->mailbox.Drain(at_most);
  if (pages_.empty()) return any;
  absl::AnyInvocable<void()> page = std::move(pages_.front());
  pages_.pop_front();
  page();
  return true;
}

}  // namespace aaren::registrar
