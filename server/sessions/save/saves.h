#ifndef AAREN_SERVER_SESSIONS_SAVE_SAVES_H_
#define AAREN_SERVER_SESSIONS_SAVE_SAVES_H_

// Saves is everything that a shard does about saves: starts batches, takes the results, answers the replies that waited
// for a save, and stalls sessions whose tokens the store does not take in time. README.md tells the life of a save.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/operate/trace/tracer.h"
#include "server/sessions/queue/token_queue.h"
#include "server/sessions/save/save.h"
#include "server/sessions/save/save_counters.h"
#include "server/sessions/save/saver.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/session/session.h"

namespace aaren::save {

// The sessions of a shard, as Saves needs them.
class SavedSessions {
 public:
  virtual ~SavedSessions() = default;

  virtual session::Session* Find(absl::string_view key) = 0;  // null: not here

  // Finds the session once no step has the session any more: waits for the step under way.
  virtual session::Session* FindSettled(absl::string_view key) = 0;

  // True while a step is under way: no row may be copied.
  virtual bool stepping() const = 0;

  // The session's state has changed: the session goes into another list, perhaps.
  virtual void Settle(session::Session& session) = 0;

  // The stream waits for the store, and waits no more.
  virtual void Stall(session::Session& session) = 0;
  virtual void EndStall(session::Session& session) = 0;

  // Another server has the session, by this epoch, or has deleted it: the session ends here.
  virtual void Lose(session::Session& session, uint64_t epoch) = 0;
};

class Saves {
 public:
  // Takes a batch to the store; the results come back by Done.
  using Send = std::function<void(std::vector<store::SaveWrite>)>;

  // The parts that Saves works with. All outlive the Saves.
  struct Parts {
    SavedSessions& sessions;
    Saver& saver;
    queue::TokenQueue& queue;
    SaveCounters& counters;
    const session::Clock& clock;
  };

  // `max_undurable_tokens`: of a session, that the store has not taken; beyond, the session's stream waits.
  Saves(const Parts& parts, uint64_t max_undurable_tokens, Send send)
      : parts_(parts), max_undurable_tokens_(max_undurable_tokens), send_(std::move(send)) {}

  // Starts the saves that are due, or notes that saves wait for the end of the step under way.
  void Start();

  // Starts the saves that have waited for the end of a step.
  void OnStepEnded();

  // Starts to save the sessions that are unsaved now, beside the tokens that still come.
  void SaveEarly();

  // Saves every session with unsaved tokens, and from now on tokens as soon as the tokens are stepped.
  void SaveAll();

  // The results of a batch.
  void Done(const std::vector<SaveResult>& results);

  // True if the session's stream has to wait for the store before more tokens come: the client keeps all tokens that
  // are not durable. A session that is never saved waits for nothing.
  bool MustWait(session::Session& session);

 private:
  void OnStored(session::Session& session, const SaveResult& result);
  void OnFailed(session::Session& session, const SaveResult& result);
  void Answer(session::Session& session);
  trace::Tracer* follower() const;
  int64_t now_ms() const { return parts_.clock.NowNanos() / 1'000'000; }

  const Parts parts_;
  const uint64_t max_undurable_tokens_;
  const Send send_;
  bool waiting_ = false;                 // for the end of the step under way
  std::vector<const float*> forecasts_;  // the reply being sent
};

}  // namespace aaren::save

#endif  // AAREN_SERVER_SESSIONS_SAVE_SAVES_H_
