#ifndef AAREN_TESTS_E2E_ORACLE_WITNESS_H_
#define AAREN_TESTS_E2E_ORACLE_WITNESS_H_

// A Witness hears a session and judges every event. Each forecast must come once, in order, with the foretold bits.
// Nothing delivered may be asked for again, and nothing ends before the oracle ends it.
//
// Threading: any thread. The listener's side runs on the client's thread.

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
  // `first`: forecasts below were delivered in an earlier life. `journal` may be null.
  Witness(std::string id, uint32_t session, uint64_t first, Account& account, Journal* journal);

  const std::string& id() const { return id_; }

  // The next token will be answered with a forecast of this digest; it is due at `due`, nanoseconds of Now.
  void Foretell(uint64_t digest, int64_t due) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t awaited() const ABSL_LOCKS_EXCLUDED(mutex_);         // forecasts foretold and still missing
  int64_t waiting_since() const ABSL_LOCKS_EXCLUDED(mutex_);  // for any missing forecast; INT64_MAX: none is awaited
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
  std::deque<Foretold> foretold_ ABSL_GUARDED_BY(mutex_);  // for tokens next_ ...
  uint64_t next_ ABSL_GUARDED_BY(mutex_);                  // the token of the next forecast
  int64_t heard_ ABSL_GUARDED_BY(mutex_) = 0;              // when the last forecast came; 0: none yet
  int opens_ ABSL_GUARDED_BY(mutex_) = 0;
  bool dismissed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::oracle

#endif  // AAREN_TESTS_E2E_ORACLE_WITNESS_H_
