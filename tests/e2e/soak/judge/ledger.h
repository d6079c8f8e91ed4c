#ifndef AAREN_TESTS_E2E_SOAK_JUDGE_LEDGER_H_
#define AAREN_TESTS_E2E_SOAK_JUDGE_LEDGER_H_

// The Ledger has the common knowledge of all clients of a run about the sessions: their incarnations, the tokens sent
// to each, the newest epoch seen. An answer breaks a promise if it contradicts the knowledge before its question was
// sent. Threading: any thread.

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

// An incarnation of a session. Threading: `sent` grows while readers look; the rest is constant.
struct Life {
  uint64_t incarnation = 0;
  std::shared_ptr<Track> track;    // null: nobody can know the tokens that made the life
  std::atomic<uint64_t> sent = 0;  // tokens below it were sent, or came with a snapshot
};

// The knowledge about a session when a question was sent.
struct Known {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  uint64_t dead = 0;  // incarnations up to `dead` are gone
};

class Ledger {
 public:
  Ledger(const Oracle& oracle, History& history) : oracle_(oracle), history_(history) {}

  Known Before(const std::string& id) const;

  // The life in the answer to an Open; null if the answer breaks a promise.
  std::shared_ptr<Life> Opened(const std::string& id, const v1::Open& open, const Known& before,
                               const v1::Opened& opened);

  // Get and List.
  void Described(const Known& before, const v1::SessionInfo& info);
  void Deleted(const std::string& id, uint64_t incarnation);

  // An Import or Fork replaces `id` by a session with the tokens of `source` up to a seq. Meanwhile nobody judges an
  // unknown incarnation of `id`.
  void BeginPlacing(const std::string& id);
  void EndPlacing(const std::string& id, const std::shared_ptr<Life>& source, const v1::SessionInfo* placed);

  // Before tokens up to `end` are sent.
  void Sending(Life& life, uint64_t end);

  // The newest known incarnation, if it lives; else null.
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
  std::set<uint64_t> epochs_ ABSL_GUARDED_BY(mutex_);  // for all Opens: no two are equal
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_JUDGE_LEDGER_H_
