#ifndef AAREN_SERVER_SESSIONS_SHARD_DEPARTURE_EXPIRY_H_
#define AAREN_SERVER_SESSIONS_SHARD_DEPARTURE_EXPIRY_H_

// Expiry ends sessions by time: sessions unused for the time to live, and sessions of clients silent about
// delivered_seq. The first shard also looks after the store for all shards. Threading: belongs to one shard.

#include <cstdint>

#include "server/sessions/session/session.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/departure/departures.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/steps.h"
#include "server/sessions/shard/tiers/tiers.h"

namespace aaren::shard {

class Expiry {
 public:
  // The arguments outlive the Expiry.
  Expiry(Core& core, Residents& residents, Steps& steps, Departures& departures, Tiers& tiers)
      : core_(core), residents_(residents), steps_(steps), departures_(departures), tiers_(tiers) {}

  // Called every few milliseconds.
  void Tick();

 private:
  void WatchStore();
  void EndUntold();
  bool EndUntoldInTheWay();
  void ExpireIdle();
  void Expire(session::Session& session);

  Core& core_;
  Residents& residents_;
  Steps& steps_;
  Departures& departures_;
  Tiers& tiers_;
  int64_t next_sweep_ms_ = 0;
  int64_t next_watch_ms_ = 0;  // when the store is watched next
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_DEPARTURE_EXPIRY_H_
