#ifndef AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_
#define AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_

// CallPlaces bound the calls of one kind that may be under way at once.
//
// One connection may have half of the free places. A call waiting for its client, for the request or until the reply is
// taken, holds a place for nothing. When all places are taken, the call that has waited longest gives way, a second
// after the wait began. Neither slow nor silent clients keep other clients out.
//
// Threading: belongs to one thread, the thread of the calls' queue.

#include <cstddef>
#include <cstdint>
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

  // The place of one call, until the Place is destroyed. May be empty.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept;
    ~Place();

    bool taken() const { return places_ != nullptr; }

    // From now on, until EndWaiting, the call waits for its client, and holds `bytes` meanwhile. Does nothing if the
    // place is empty or lost.
    void BeginWaiting(size_t bytes = 0);
    void EndWaiting();

   private:
    friend class CallPlaces;
    Place(CallPlaces* places, uint64_t number) : places_(places), number_(number) {}

    CallPlaces* places_ = nullptr;
    uint64_t number_ = 0;
  };

  CallPlaces(size_t limit, const session::Clock& clock) : limit_(limit), clock_(clock) {}

  // A place for a call of `peer`, named by gRPC; empty if no waiting call gives way. `give_up` is called when the call
  // loses its place, and must end the call; not after the Place has gone. CallPlaces outlive all their places.
  Place Take(const std::string& peer, GiveUp give_up);

  // Takes the places of calls waiting for their clients for a second or more, the longest first, until the taken calls
  // held `lacking` bytes in all. False, without a place taken, if all calls together hold less.
  bool MakeRoom(size_t lacking);

  // Takes the places of calls waiting for their clients since `oldest`, or longer.
  void EndStale(absl::Time oldest);

  size_t size() const { return calls_.size(); }

 private:
  using Waiting = std::list<std::pair<absl::Time, uint64_t>>;  // numbers, the longest first

  struct Call {
    std::string peer;
    GiveUp give_up;
    Waiting::iterator waiting;  // waiting_.end(): for no client
    size_t bytes = 0;           // held by the call while it waits
  };

  bool Admits(const std::string& peer) const;
  bool MakeWay();
  void Remove(uint64_t number);
  void TakeAway(uint64_t number, Why why);
  void EndWaiting(Call& call);

  const size_t limit_;
  const session::Clock& clock_;
  uint64_t last_number_ = 0;
  absl::flat_hash_map<uint64_t, Call> calls_;  // calls with a place
  absl::flat_hash_map<std::string, size_t> by_peer_;
  Waiting waiting_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_LIMITS_CALL_PLACES_H_
