#ifndef AAREN_TESTS_E2E_SOAK_JUDGE_LEDGER_H_
#define AAREN_TESTS_E2E_SOAK_JUDGE_LEDGER_H_

// The Ledger is what all clients of a run together know of the sessions: their incarnations, what was sent to each, the
// newest epoch that anybody has seen. An answer that contradicts what was known before its question was sent breaks a
// promise. Threading: any thread.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "aaren/v1/sessions.pb.h"
#include "aaren/v1/stream.pb.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "tests/e2e/soak/judge/history.h"
#include "tests/e2e/soak/judge/oracle.h"

namespace aaren::soak {

// One incarnation of a session. Threading: `sent` grows while others read it; the rest is made before anybody has it.
struct Life {
  uint64_t incarnation = 0;
  std::shared_ptr<Track> track;    // null: nobody can know of which tokens it was made
  std::atomic<uint64_t> sent = 0;  // tokens below it were sent, or came with a snapshot
};

// What was known of a session when a question was sent.
struct Known {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  uint64_t dead = 0;  // incarnations up to it are gone
};

class Ledger {
 public:
  Ledger(const Oracle& oracle, History& history) : oracle_(oracle), history_(history) {}

  Known Before(const std::string& id) const;

  // The life that an Open was answered with; null if the answer breaks a promise.
  std::shared_ptr<Life> Opened(const std::string& id, const v1::Open& open, const Known& before,
                               const v1::Opened& opened);

  // Get and List.
  void Described(const Known& before, const v1::SessionInfo& info);
  void Deleted(const std::string& id, uint64_t incarnation);

  // An Import or Fork puts a session of tokens that `source` has, up to a seq, in the place of `id`. While one is under
  // way nobody judges an incarnation of `id` that is not known.
  void BeginPlacing(const std::string& id);
  void EndPlacing(const std::string& id, const std::shared_ptr<Life>& source, const v1::SessionInfo* placed);

  // Before tokens up to `end` are sent.
  void Sending(Life& life, uint64_t end);

  // The newest incarnation that is known, if it lives; null if none.
  std::shared_ptr<Life> Newest(const std::string& id) const;

 private:
  struct Entry {
    Known known;
    int placing = 0;
    std::map<uint64_t, std::shared_ptr<Life>> lives;
  };

  std::string Contradiction(const v1::Open& open, const Known& before, const v1::Opened& opened) const;
  std::string Misplaced(const v1::Open& open, const v1::Opened& opened, const Life& life) const;
  std::shared_ptr<Life> LifeOf(const std::string& id, Entry& entry, uint64_t incarnation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Raise(Entry& entry, uint64_t epoch, uint64_t incarnation);

  const Oracle& oracle_;
  History& history_;
  mutable absl::Mutex mutex_;
  std::map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::set<uint64_t> epochs_ ABSL_GUARDED_BY(mutex_);  // of all Opens: no two have the same
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_JUDGE_LEDGER_H_
