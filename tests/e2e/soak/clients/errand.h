#ifndef AAREN_TESTS_E2E_SOAK_CLIENTS_ERRAND_H_
#define AAREN_TESTS_E2E_SOAK_CLIENTS_ERRAND_H_

// An Errand is the only writing application of a session. With delivered_seq it wants every forecast exactly once: a
// resume beyond its delivered_seq, a gap, a loss, or a forgotten session breaks a promise. Without delivered_seq the
// errand goes on from the server's position, which must not lie before any answer.
//
// The session may be open on several streams; the server lets one write. Threading: any thread.

#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tests/e2e/soak/clients/conversation.h"
#include "tests/e2e/soak/world.h"

namespace aaren::soak {

class Errand : public Application {
 public:
  Errand(World& world, std::string id, bool tracked, uint64_t goal)
      : world_(world), id_(std::move(id)), tracked_(tracked), goal_(goal) {}

  const std::string& id() const { return id_; }

  // Fills the application's position into an Open.
  void Fill(v1::Open& open, bool strict);

  // Everything received is delivered for good now; returns the new delivered_seq.
  uint64_t Deliver();
  uint64_t delivered() const;
  bool tracked() const { return tracked_; }

  // The process dies and comes back with the delivered forecasts. REQUIRES: no stream is open.
  void Crash();

  // Every token up to the goal was answered.
  bool reached() const;
  uint64_t goal() const;

  // A deleting Close of the session is about to be sent, and may never be answered.
  void Deleting();

  // Once the session is gone: begins a new session of `goal` tokens.
  void Renew(uint64_t goal);
  bool deleted() const;

  void OnOpened(Hold& hold, const v1::Opened& opened) override;
  void OnAnswered(Hold& hold, uint64_t begin, uint64_t end) override;
  void OnRefused(Hold& hold, int code) override;
  void OnGone(Hold& hold, bool deleted) override;

 private:
  std::string Judge(const v1::Open& open, const v1::Opened& opened) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  World& world_;
  const std::string id_;
  const bool tracked_;
  mutable absl::Mutex mutex_;
  uint64_t goal_ ABSL_GUARDED_BY(mutex_);
  uint64_t incarnation_ ABSL_GUARDED_BY(mutex_) = 0;  // 0: not known
  uint64_t epoch_ ABSL_GUARDED_BY(mutex_) = 0;        // the latest Opened's
  uint64_t begun_ ABSL_GUARDED_BY(mutex_) = 0;        // … and its next_seq
  uint64_t frontier_ ABSL_GUARDED_BY(mutex_) = 0;     // answers below it have come
  uint64_t delivered_ ABSL_GUARDED_BY(mutex_) = 0;    // … for good
  uint64_t durable_ ABSL_GUARDED_BY(mutex_) = 0;      // tokens below need not be kept
  bool deleting_ ABSL_GUARDED_BY(mutex_) = false, deleted_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_CLIENTS_ERRAND_H_
