#ifndef AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_
#define AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_

// CallPlaces bound the calls of one kind that may be under way at once.
//
// A call waiting for its client, for the request or until the reply is taken, holds a place for nothing. When all
// places are taken, the call that has waited longest gives way. Neither slow nor silent clients keep other clients out.
//
// Threading: the thread of the calls' queue.

#include <cstddef>
#include <list>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class CallPlaces {
  struct Call;
  using Calls = std::list<Call>;

 public:
  enum class Why { kGivesWay, kStale };
  using GiveUp = absl::AnyInvocable<void(Why)>;

  // The place of one call, until the Place is destroyed or the call loses the place. May be empty.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept;
    ~Place();

    bool taken() const { return places_ != nullptr; }

    // From now on, until EndWaiting, the call waits for its client, and holds `bytes` meanwhile.
    void BeginWaiting(size_t bytes = 0);
    void EndWaiting();

   private:
    friend class CallPlaces;

    CallPlaces* places_ = nullptr;
    Calls::iterator call_;
  };

  // A call gives way when it has waited for `patience`.
  CallPlaces(size_t limit, const session::Clock& clock, absl::Duration patience = absl::Seconds(1))
      : limit_(limit), patience_(patience), clock_(clock) {}

  // A place for a call that waits for its client from now on; empty if no waiting call gives way. `give_up` is called
  // when the call loses its place, and must end the call; not after the Place has gone. CallPlaces outlive the places.
  Place Take(GiveUp give_up);

  // Takes the places of calls that have waited long enough, the longest first, until the taken calls held `lacking`
  // bytes in all. False, without a place taken, if all together hold less.
  bool MakeRoom(size_t lacking);

  // Takes the places of calls waiting for their clients since `oldest`, or longer.
  void EndStale(absl::Time oldest);

  size_t size() const { return working_.size() + waiting_.size(); }

 private:
  struct Call {
    GiveUp give_up;
    Place* place;
    bool waits = false;  // for its client, since:
    absl::Time since = absl::InfiniteFuture();
    size_t bytes = 0;  // held by the call meanwhile
  };

  void TakeAway(Calls::iterator call, Why why);

  const size_t limit_;
  const absl::Duration patience_;
  const session::Clock& clock_;
  Calls working_, waiting_;  // calls with a place; waiting_: the longest first
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_
