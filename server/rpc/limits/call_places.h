#ifndef AAREN_SERVER_RPC_LIMITS_CALL_PLACES_H_
#define AAREN_SERVER_RPC_LIMITS_CALL_PLACES_H_

// CallPlaces are places for the calls of one kind on a shard. A connection may have half of what the others leave. When
// that is nothing, a call gives way that waits for its client: its request has not come, or its reply is not taken. Of
// the host that has most it is the one that has waited longest; of any host, if it has waited for a second. So a host
// that holds calls keeps nobody out, not even those who come from the same address as it.
//
// Some calls last and wait for nobody, as watches. Of these the newest of the host that has most gives way, to one that
// keeps what it gains (accept/host_places.h).
//
// Threading: belongs to one thread, that of the calls' queue.

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "server/accept/host_places.h"
#include "server/session/clock.h"

namespace aaren::rpc {

class CallPlaces {
 public:
  using Cancelling = absl::AnyInvocable<void()>;

  // One call's, until it is destroyed. It may be empty.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept;
    ~Place();

    bool taken() const { return places_ != nullptr; }

    // The call waits for its client from now on, until EndWaiting. REQUIRES: taken().
    void BeginWaiting();
    void EndWaiting();

   private:
    friend class CallPlaces;
    Place(CallPlaces* places, uint64_t number) : places_(places), number_(number) {}

    CallPlaces* places_ = nullptr;
    uint64_t number_ = 0;
  };

  CallPlaces(size_t limit, const session::Clock& clock) : limit_(limit), clock_(clock) {}

  // A place for a call of this peer, as gRPC names it. Another call may be cancelled for it. Empty if nobody gives way.
  // `cancel` is called at most once, and not after the place has gone. This outlives all places.
  Place Take(const std::string& peer, Cancelling cancel);

  // Cancels calls that have waited for their clients since `oldest`, or longer.
  void EndStale(absl::Time oldest);

  size_t size() const { return calls_.size(); }

 private:
  using Waiting = std::list<std::pair<absl::Time, uint64_t>>;  // numbers, the longest first

  struct Call {
    std::string peer, host;
    Cancelling cancel;
    Waiting::iterator waiting;  // waiting_.end(): for no client
  };

  bool Admits(const std::string& peer) const;
  std::optional<uint64_t> WhoGivesWayTo(const std::string& host);
  bool MakeWay(const std::string& host);
  void Remove(uint64_t number);
  void Cancel(uint64_t number);
  void EndWaiting(Call& call);

  const size_t limit_;
  const session::Clock& clock_;
  uint64_t last_number_ = 0;
  absl::flat_hash_map<uint64_t, Call> calls_;  // those that have a place; one that was cancelled has none any more
  absl::flat_hash_map<std::string, size_t> by_peer_;
  accept::HostPlaces hosts_;
  Waiting waiting_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_LIMITS_CALL_PLACES_H_
