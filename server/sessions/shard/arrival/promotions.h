#ifndef AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_PROMOTIONS_H_
#define AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_PROMOTIONS_H_

// Promotions are the demoted sessions of a shard on the way back. A promotion waits for rows in the line of the model,
// and afterwards is at the registrar. If the store did not answer, the promotion pauses and waits again.
//
//   Add ──► waits ──► StartAll: at the registrar ──► Take
//             ▲              │ Unstart
//             └── pauses ◄───┘ Pause
//
// Tiers does the rest. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "server/sessions/shard/arrival/arrival.h"

namespace aaren::shard {

class Promotions {
 public:
  // The promotion waits last in the line of the model, and the stream's handle stands for the promotion.
  Promotion& Add(Demoted& demoted, uint64_t ticket, int64_t now_ns);

  Promotion* Find(uint64_t ticket);  // null: taken already
  std::unique_ptr<Promotion> Take(uint64_t ticket);

  bool empty() const { return all_.empty(); }
  size_t started() const { return started_; }  // promotions at the registrar

  bool any_waits() const;                      // for rows
  bool OneWaitsSince(int64_t began_ns) const;  // or longer

  // Starts the oldest promotions, of the models in turn: a model without free rows keeps no other model waiting.
  // `start` sets the promotion's call, or is false if no rows are free.
  void StartAll(absl::FunctionRef<bool(Promotion&)> start);

  // The promotion is not at the registrar any more, or nobody waits for the answer.
  void Unstart(Promotion& promotion);

  // The promotion waits again after a pause, longer each time. REQUIRES: the promotion is not started.
  void Pause(Promotion& promotion, int64_t now_ms);
  void EndPauses(int64_t until_ms);  // ends the pauses due until `until_ms`

  // Hands the newest waiting promotions over, out of the lines, for as long as `more` is true. Where `may` is false the
  // promotion stays; after `most_staying` staying promotions the search ends.
  void HandOverNewest(size_t most_staying, absl::FunctionRef<bool()> more,
                      absl::FunctionRef<bool(const Promotion&)> may, absl::FunctionRef<void(Promotion&)> hand_over);

 private:
  using Line = std::deque<uint64_t>;  // tickets; a promotion may have been taken since

  Line& LineOf(const Promotion& promotion);
  Line* NewestLine();
  bool StartNextOf(Line& line, absl::FunctionRef<bool(Promotion&)> start);

  absl::flat_hash_map<uint64_t, std::unique_ptr<Promotion>> all_;  // by ticket
  std::vector<Line> waiting_;                                      // by model
  std::multimap<int64_t, uint64_t> pausing_;                       // tickets, by the pause's end, ms
  size_t started_ = 0;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_PROMOTIONS_H_
