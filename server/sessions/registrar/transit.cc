#include "server/sessions/registrar/transit.h"

#include <deque>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace aaren::registrar {

struct Transit::State : std::enable_shared_from_this<State> {
  struct Waiter {
    size_t bytes;
    Entered then;
  };

  State(size_t most, std::function<void(session::Mailbox::Message)> post_to)
      : most_bytes(most), post(std::move(post_to)) {}

  bool HasRoomFor(size_t more) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return bytes == 0 || bytes + more <= most_bytes;
  }

  Permit Take(size_t more) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    bytes += more;
    return std::shared_ptr<const size_t>(new size_t(more), [self = shared_from_this()](const size_t* taken) {
      self->Leave(*taken);
      delete taken;
    });
  }

  // Posted outside the lock: what is posted may be dropped at once, and its permit with it.
  void Leave(size_t taken) ABSL_LOCKS_EXCLUDED(mutex) {
    std::vector<std::pair<Entered, Permit>> admitted;
    {
      absl::MutexLock lock(&mutex);
      bytes -= taken;
      for (; !waiters.empty() && HasRoomFor(waiters.front().bytes); waiters.pop_front()) {
        admitted.emplace_back(std::move(waiters.front().then), Take(waiters.front().bytes));
      }
    }
    for (auto& [then, permit] : admitted) {
      post([then = std::move(then), permit = std::move(permit)]() mutable { then(std::move(permit)); });
    }
  }

  const size_t most_bytes;
  const std::function<void(session::Mailbox::Message)> post;
  absl::Mutex mutex;
  size_t bytes ABSL_GUARDED_BY(mutex) = 0;
  std::deque<Waiter> waiters ABSL_GUARDED_BY(mutex);
};

Transit::Transit(size_t most_bytes, std::function<void(session::Mailbox::Message)> post)
    : state_(std::make_shared<State>(most_bytes, std::move(post))) {}

void Transit::Enter(size_t bytes, Entered then) {
  Permit permit;
  {
    absl::MutexLock lock(&state_->mutex);
    if (!state_->waiters.empty() || !state_->HasRoomFor(bytes)) {
      state_->waiters.push_back({bytes, std::move(then)});
      return;
    }
    permit = state_->Take(bytes);
  }
  then(std::move(permit));
}

size_t Transit::bytes() const {
  absl::MutexLock lock(&state_->mutex);
  return state_->bytes;
}

}  // namespace aaren::registrar
