#ifndef AAREN_TESTS_E2E_ORACLE_WITNESS_H_
#define AAREN_TESTS_E2E_ORACLE_WITNESS_H_

// A Witness hears one session and judges what it hears. Each forecast is to come once, in order, with the bits that
// were foretold. Nothing that was delivered may be asked for again, and nothing ends before it is told to.
//
// Threading: any thread. The listener's side runs on the client's.

#include <cstdint>
#include <deque>
#include <string>

#include "aaren/client/listener.h"
#include "aaren/client/session.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tests/e2e/oracle/account.h"
#include "tests/e2e/oracle/journal.h"

namespace aaren::oracle {

class Witness : public client::Listener {
 public:
  // `first`: forecasts below it were delivered in an earlier life. `journal` is null where nobody keeps one.
  Witness(std::string id, uint32_t session, uint64_t first, Account& account, Journal* journal);

  const std::string& id() const { return id_; }

  // The next token will be answered with a forecast of this digest; it is due at `due`, nanoseconds of Now.
  void Foretell(uint64_t digest, int64_t due) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t awaited() const ABSL_LOCKS_EXCLUDED(mutex_);         // forecasts that were foretold and have not come
  int64_t waiting_since() const ABSL_LOCKS_EXCLUDED(mutex_);  // for any of them; INT64_MAX: nothing is awaited
  bool opened() const ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on the session may end with OK.
  void Dismiss() ABSL_LOCKS_EXCLUDED(mutex_);

  void OnOpened(client::Session& session, const client::Opened& opened) override;
  void OnForecast(client::Session& session, const client::Forecast& forecast) override;
  void OnProgress(client::Session& session, uint64_t next_seq, uint64_t durable_seq) override;
  bool OnRewind(client::Session& session, uint64_t seq) override;
  void OnLost(client::Session& session, const client::Loss& loss) override;
  void OnEnded(client::Session& session, const absl::Status& status) override;

 private:
  struct Foretold {
    uint64_t digest;
    int64_t due;
  };

  const std::string id_;
  const uint32_t session_;
  Account& account_;
  Journal* const journal_;
  mutable absl::Mutex mutex_;
  std::deque<Foretold> foretold_ ABSL_GUARDED_BY(mutex_);  // of tokens next_ ...
  uint64_t next_ ABSL_GUARDED_BY(mutex_);                  // whose forecast comes next
  int64_t heard_ ABSL_GUARDED_BY(mutex_) = 0;              // when the last forecast came; 0: none yet
  int opens_ ABSL_GUARDED_BY(mutex_) = 0;
  bool dismissed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::oracle

#endif  // AAREN_TESTS_E2E_ORACLE_WITNESS_H_
