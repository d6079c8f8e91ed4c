#ifndef AAREN_SERVER_RPC_LIMITS_CALL_PLACES_H_
#define AAREN_SERVER_RPC_LIMITS_CALL_PLACES_H_

// CallPlaces are places for the calls of one kind on a shard. A connection may have half of what the others leave, and
// more while another host has more than its own. When all are taken, a call gives way that waits for its client: its
// request has not come, or its reply is not taken. It is the one that has waited longest of the host that has most;
// else, for a second at least, of a host that has no fewer than the asker's. So a host that holds calls keeps nobody
// out, not even those who come from the same address, and takes no places from those who have fewer.
//
// Some calls last and wait for nobody, as watches. Of these the newest of the host that has most gives way, to one that
// keeps what it gains (accept/host_places.h).
//
// Threading: belongs to one thread, that of the calls' queue.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/accept/host_places.h"
#include "server/session/clock.h"

namespace aaren::rpc {

class CallPlaces {
 public:
  enum class Why { kGivesWay, kStale };
  using GiveUp = absl::AnyInvocable<void(Why)>;

  // One call's, until it is destroyed. It may be empty.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept;
    ~Place();

    bool taken() const { return places_ != nullptr; }

    // The call waits for its client from now on, until EndWaiting, and holds so many bytes meanwhile. Nothing, if the
    // place is empty or lost.
    void BeginWaiting(size_t bytes = 0);
    void EndWaiting();

   private:
    friend class CallPlaces;
    Place(CallPlaces* places, uint64_t number) : places_(places), number_(number) {}

    CallPlaces* places_ = nullptr;
    uint64_t number_ = 0;
  };

  // Of calls that last, if `lasting`.
  CallPlaces(size_t limit, const session::Clock& clock, bool lasting = false)
      : limit_(limit), lasting_(lasting), clock_(clock) {}

  // A place for a call of this peer, as gRPC names it. Another may lose its own. Empty if nobody gives way. `give_up`
  // is called when the call has lost it, and must end it; not after the place has gone. This outlives all places.
  Place Take(const std::string& peer, GiveUp give_up);

  // Takes the places of calls that wait and hold `lacking` bytes in all, for a call of this peer that is to hold
  // `bytes`. They are those of the host that holds most, if that is more than the asker's will then hold. Else they are
  // the asker's own or those of a host that holds as much, and have waited for a second. False, and no place is taken,
  // if that is not enough.
  bool MakeRoom(const std::string& peer, size_t bytes, size_t lacking);

  // Takes the places of calls that have waited for their clients since `oldest`, or longer.
  void EndStale(absl::Time oldest);

  size_t size() const { return calls_.size(); }

 private:
  using Waiting = std::list<std::pair<absl::Time, uint64_t>>;  // numbers, the longest first

  struct Call {
    std::string peer, host;
    GiveUp give_up;
    Waiting::iterator waiting;  // waiting_.end(): for no client
    size_t bytes = 0;           // that it holds meanwhile
  };

  // Of one host, by calls that wait for their clients.
  struct HeldBytes {
    size_t bytes = 0;
    std::deque<uint64_t> numbers;  // the longest first
  };

  bool Admits(const std::string& peer) const;
  std::vector<uint64_t> WhoseBytesGo(absl::flat_hash_map<std::string, HeldBytes>& held, const std::string& asker,
                                     size_t bytes, size_t lacking) const;
  template <typename Fits>
  std::optional<uint64_t> FirstWaiting(absl::Time since, Fits fits) const;
  std::optional<uint64_t> WhoGivesWayTo(const std::string& host);
  bool MakeWay(const std::string& host);
  void Remove(uint64_t number);
  void TakeAway(uint64_t number, Why why);
  void EndWaiting(Call& call);

  const size_t limit_;
  const bool lasting_;
  const session::Clock& clock_;
  uint64_t last_number_ = 0;
  absl::flat_hash_map<uint64_t, Call> calls_;  // those that have a place
  absl::flat_hash_map<std::string, size_t> by_peer_;
  accept::HostPlaces hosts_;
  Waiting waiting_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_LIMITS_CALL_PLACES_H_
