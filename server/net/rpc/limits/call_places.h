#ifndef AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_
#define AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_

// CallPlaces bound the number of calls of a kind under way at once.
//
// A connection may have half of the free places. A call waiting for its client, for the request or until the reply is
// taken, holds a place for nothing. When all places are taken, the longest waiting call gives way, a second after the
// wait began. Neither slow nor silent clients keep further clients out.
//
// Threading: belongs to one thread, the thread of the calls' queue.

#include <array>
#include <cstddef>
#include <list>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class CallPlaces {
 public:
  enum class Why { kGivesWay, kStale };
  using GiveUp = absl::AnyInvocable<void(Why)>;

 private:
  enum State { kWorks, kWaits, kLost };
  struct Call {
    std::string peer;
    GiveUp give_up;
    State state = kWorks;
    absl::Time since = absl::InfiniteFuture();  // the wait's begin
    size_t bytes = 0;                           // held by the waiting call
  };
  using Calls = std::list<Call>;

 public:
  // The place of a call, until the Place is destroyed. May be empty.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept;
    ~Place();

    bool taken() const { return places_ != nullptr; }

    // From now on, until EndWaiting, the call waits for the client, and holds `bytes` meanwhile. Does nothing if the
    // place is empty or lost.
    void BeginWaiting(size_t bytes = 0);
    void EndWaiting();

   private:
    friend class CallPlaces;
    Place(CallPlaces* places, Calls::iterator call) : places_(places), call_(call) {}

    CallPlaces* places_ = nullptr;
    Calls::iterator call_;
  };

  // A call gives way when it has waited for `patience`.
  CallPlaces(size_t limit, const session::Clock& clock, absl::Duration patience = absl::Seconds(1))
      : limit_(limit), patience_(patience), clock_(clock) {}

  // A place for a call of `peer`, named by gRPC; empty if no waiting call gives way. A peer without a name may have all
  // places. `give_up` is called when the call loses the place, and must end the call; not after the Place has gone. The
  // CallPlaces outlive every Place.
  Place Take(const std::string& peer, GiveUp give_up);

  // Takes the places of calls past the patience, the longest waiting first, until the taken calls held `lacking` bytes
  // in all. False, without a place taken, if all calls together hold less.
  bool MakeRoom(size_t lacking);

  // Takes the places of calls waiting for clients since `oldest`, or longer.
  void EndStale(absl::Time oldest);

  size_t size() const { return calls_[kWorks].size() + calls_[kWaits].size(); }
  size_t lost() const { return calls_[kLost].size(); }  // calls without places, until each Place is destroyed

 private:
  bool Admits(const std::string& peer) const;
  void Move(Calls::iterator call, State to);
  void TakeAway(Calls::iterator call, Why why);
  void Uncount(const std::string& peer);

  const size_t limit_;
  const absl::Duration patience_;
  const session::Clock& clock_;
  std::array<Calls, 3> calls_;                        // by state; kWaits: the longest first
  absl::flat_hash_map<std::string, size_t> by_peer_;  // calls with a place
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_
