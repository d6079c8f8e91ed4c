#ifndef AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SAVED_RESIDENTS_H_
#define AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SAVED_RESIDENTS_H_

#include "server/sessions/save/saves.h"
#include "server/sessions/shard/departure/departures.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/steps.h"

namespace aaren::shard {

// The residents of a shard for server/sessions/save/saves.h. Threading: belongs to one shard.
class SavedResidents final : public save::SavedSessions {
 public:
  // The arguments outlive the SavedResidents.
  SavedResidents(Residents& residents, Steps& steps, Departures& departures)
      : residents_(residents), steps_(steps), departures_(departures) {}

  session::Session* Find(absl::string_view key) override { return residents_.Find(key); }
  session::Session* FindSettled(absl::string_view key) override { return steps_.FindSettled(key); }
  bool stepping() const override { return steps_.under_way(); }
  void Settle(session::Session& session) override { residents_.OnSaveEnded(session); }
  void Stall(session::Session& session) override { residents_.Stall(session); }
  void EndStall(session::Session& session) override {
    if (!session.stalled) return;
    residents_.EndStall(session);
    session.stream->peer.OnRoom();
  }
  void Lose(session::Session& session, uint64_t epoch) override { departures_.LoseToWriter(session, epoch); }

 private:
  Residents& residents_;
  Steps& steps_;
  Departures& departures_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SAVED_RESIDENTS_H_
