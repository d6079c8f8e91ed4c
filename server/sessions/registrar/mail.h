#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_MAIL_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_MAIL_H_

// Mail is the registrar's thread and mailbox. Answers of the store and of background threads come back through the
// mailbox: an operation runs on the registrar's thread from beginning to end.
//
// Threading: any thread may call Post and PostPage. The owner calls Start and the destructor, and the registrar's
// thread everything else.

#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "server/machine/cores/background.h"
#include "server/sessions/session/mailbox.h"
#include "server/store/store.h"

namespace aaren::registrar {

class Mail {
 public:
  ~Mail() { Stop(); }

  // Starts the thread. Without a thread the owner calls Drain.
  void Start();

  // Stops the thread after all messages are handled and the store has answered all calls.
  void Stop();

  // Handles the oldest messages, `at_most` in number, and makes a page of a list. True if any message or page was
  // waiting.
  bool Drain(size_t at_most);

  void Post(session::Mailbox::Message message) { inbox_->mailbox.Post(std::move(message)); }

  // A page of a list takes long: a single page is made after each batch of messages.
  void PostPage(absl::AnyInvocable<void()> page) {
    Post([this, page = std::move(page)]() mutable { pages_.push_back(std::move(page)); });
  }

  // Post for callers able to outlive the Mail: messages after the Mail's end are dropped.
  std::function<void(session::Mailbox::Message)> WeakPost() const;

  // The answer of a call of the store: then(value), on the registrar's thread.
  template <typename T, typename Then>
  store::StateStore::Answer<T> Back(Then then) {
    ++store_calls_;
    // The answer holds the inbox: the answering thread may still be in Post when the registrar has taken the message
    // and ended.
    return [this, inbox = inbox_, then = std::move(then)](T value) mutable {
      inbox->mailbox.Post([this, then = std::move(then), value = std::move(value)]() mutable {
        --store_calls_;
        then(std::move(value));
      });
    };
  }

  // Runs work() in the background, and then(result) on the registrar's thread.
  template <typename T, typename Work, typename Then>
  void Compute(Work work, Then then) {
    ++computing_;
    background_.Post([this, inbox = inbox_, work = std::move(work), then = std::move(then)]() mutable {
      inbox->mailbox.Post([this, then = std::move(then), value = T(work())]() mutable {
        --computing_;
        then(std::move(value));
      });
    });
  }

  bool leaving() const { return leaving_; }

 private:
  // Touched by any thread.
  struct Inbox {
    session::Mailbox mailbox;
    absl::Mutex mutex;
    bool awake ABSL_GUARDED_BY(mutex) = true;  // for messages from before Start
    bool stopping ABSL_GUARDED_BY(mutex) = false;
  };

  void Run();
  bool Finished(bool stopping) const { return stopping && store_calls_ == 0 && computing_ == 0; }

  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::deque<absl::AnyInvocable<void()>> pages_;  // to be made
  uint64_t store_calls_ = 0;                      // not answered yet
  uint64_t computing_ = 0;                        // work of Compute, not done yet
  bool leaving_ = false;
  std::thread thread_;  // none before Start
  cores::Background background_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_MAIL_H_
