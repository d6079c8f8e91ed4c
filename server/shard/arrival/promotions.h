#ifndef AAREN_SERVER_SHARD_ARRIVAL_PROMOTIONS_H_
#define AAREN_SERVER_SHARD_ARRIVAL_PROMOTIONS_H_

// The Promotions of a shard: the demoted sessions that are on their way back. Each waits for rows in its model's line,
// then is at the registrar, and, if the store did not answer, pauses and waits again.
//
//   Add ──► waits ──► StartAll: at the registrar ──► Take
//             ▲              │ Unstart
//             └── pauses ◄───┘ Pause
//
// What else happens to the session is its shard's business. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "server/shard/arrival/arrival.h"

namespace aaren::shard {

class Promotions {
 public:
  // Waits last in its model's line from now on; its stream's handle stands for it.
  Promotion& Add(Demoted& demoted, uint64_t ticket, int64_t now_ns);

  Promotion* Find(uint64_t ticket);  // null: it was taken
  std::unique_ptr<Promotion> Take(uint64_t ticket);

  bool empty() const { return all_.empty(); }
  size_t started() const { return started_; }  // at the registrar

  bool any_waits() const;                      // for rows
  bool OneWaitsSince(int64_t began_ns) const;  // or longer

  // Starts those that have waited longest, of each model in turn: one whose rows are all in use keeps no other waiting.
  // `start` is false if there are no rows for it; else it sets the promotion's call.
  void StartAll(absl::FunctionRef<bool(Promotion&)> start);

  // It is not at the registrar any more, or nobody waits for what comes from there.
  void Unstart(Promotion& promotion);

  // It waits again after a pause, each longer than the last. REQUIRES: it is not started.
  void Pause(Promotion& promotion, int64_t now_ms);
  void EndPauses(int64_t until_ms);  // those that end by then

  // Takes the newest that wait out of their lines and hands them over, for as long as `more`. Those of which `may` is
  // false stay; of them so many are looked at.
  void HandOverNewest(size_t most_staying, absl::FunctionRef<bool()> more,
                      absl::FunctionRef<bool(const Promotion&)> may, absl::FunctionRef<void(Promotion&)> hand_over);

 private:
  using Line = std::deque<uint64_t>;  // tickets; some were taken since

  Line& LineOf(const Promotion& promotion);
  Line* NewestLine();
  bool StartNextOf(Line& line, absl::FunctionRef<bool(Promotion&)> start);

  absl::flat_hash_map<uint64_t, std::unique_ptr<Promotion>> all_;  // by ticket
  std::vector<Line> waiting_;                                      // by model
  std::multimap<int64_t, uint64_t> pausing_;                       // tickets, by the pause's end, ms
  size_t started_ = 0;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_ARRIVAL_PROMOTIONS_H_
