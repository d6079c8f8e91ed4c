#ifndef AAREN_TESTS_E2E_ORACLE_TRIAL_H_
#define AAREN_TESTS_E2E_ORACLE_TRIAL_H_

// A Trial streams many sessions through the client library at an even rate, whatever the servers do, and holds every
// forecast against the forecast of an undisturbed run. A trial ends at the first broken promise, or when told: then
// every due token is sent and answered, and every session closed.
//
// Open loop: token k of the run is due k / rate seconds after the beginning, and belongs to session k mod sessions.
// Latency counts from the due time. Threading: Run once; everything else from any thread.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aaren/client.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tests/e2e/oracle/account.h"
#include "tests/e2e/oracle/expectation.h"
#include "tests/e2e/oracle/journal.h"
#include "tests/e2e/oracle/witness.h"

namespace aaren::oracle {

struct TrialOptions {
  std::string target = {};   // HOST:PORT, or another target of gRPC: ipv4:HOST:PORT,HOST:PORT
  std::string package = {};  // the folder of the servers' model
  std::string journal = {};  // a file; empty: none
  uint64_t seed = 1;
  uint32_t sessions = 1000;
  uint32_t streams = 4;
  double rate = 2000;  // tokens a second, of all sessions
  absl::Duration duration = absl::InfiniteDuration();
  absl::Duration patience = absl::Seconds(60);  // a longer wait for a forecast breaks the promise
  bool progress = false;                        // a line a second on standard error
};

class Trial {
 public:
  explicit Trial(TrialOptions options) : options_(std::move(options)) {}
  ~Trial();

  // Not OK: nothing was judged. Otherwise see account().
  absl::Status Run(const std::atomic<bool>& stop);

  const Account& account() const { return account_; }
  double seconds() const { return seconds_; }  // duration of Run

  // The first broken promise in full; empty: every promise was kept.
  std::string BrokenPromise() const;

 private:
  struct Member {
    std::unique_ptr<Witness> witness;
    std::unique_ptr<client::Session> session;
    uint64_t first = 0;  // forecasts below were delivered in an earlier life
    uint64_t next = 0;   // the token to send; behind `first` where the server fell back
    bool opened = false;
  };

  absl::Status Begin();
  absl::Status OpenSessions();
  void Recall();
  void Stream(const std::atomic<bool>& stop);
  bool Round(uint64_t due);
  void Foretell(const std::vector<size_t>& members);
  bool Send(size_t member);
  void Watch();
  void Report();
  void Finish();

  uint64_t DueOf(const Member& member, size_t index, uint64_t due) const;
  int64_t DueTime(const Member& member, size_t index, uint64_t seq) const;

  const TrialOptions options_;
  Account account_;
  std::unique_ptr<Expectation> expectation_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<client::Client> client_;
  std::vector<Member> members_;
  int64_t began_ = 0;
  int64_t next_watch_ = 0;
  double seconds_ = 0;
};

}  // namespace aaren::oracle

#endif  // AAREN_TESTS_E2E_ORACLE_TRIAL_H_
