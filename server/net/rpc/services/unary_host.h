#ifndef AAREN_SERVER_NET_RPC_SERVICES_UNARY_HOST_H_
#define AAREN_SERVER_NET_RPC_SERVICES_UNARY_HOST_H_

// A UnaryHost is shared by the unary calls of one queue: the queue, the mailbox of the thread draining the queue, the
// callers, and the bytes of requests, and of replies until the client has taken each.
//
// Threading: the thread of the queue only.

#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/server_context.h"
#include "server/identity/accounts/account.h"
#include "server/identity/caller.h"
#include "server/identity/callers.h"
#include "server/net/rpc/caller.h"
#include "server/net/rpc/limits/call_places.h"
#include "server/net/rpc/limits/last_words.h"
#include "server/net/rpc/limits/stream_limits.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/session/mailbox.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/refusal.h"

namespace aaren::rpc {

struct UnaryHost {
  UnaryHost(grpc::ServerCompletionQueue& q, session::Mailbox& m, int& c, const StreamLimits& l, const session::Clock& k)
      : queue(q),
        mailbox(m),
        calls(c),
        limits(l),
        clock(k),
        places(l.unary_calls, k),
        reflections(l.reflections, k),
        last_words(k) {}

  // Counts a call for the tenant's rate, or refuses a call beyond the rate.
  std::optional<session::Refusal> Charge(identity::Account* account) const {
    if (account == nullptr || account->unary_calls.TryTake(clock.NowNanos())) return std::nullopt;
    account->NoteLimited(identity::Account::Limit::kUnary);
    return session::TooManyUnaryCalls(*account, absl::Nanoseconds(account->unary_calls.WaitForOneNs(clock.NowNanos())));
  }

  // Requests and replies of at most kSmall do not count: the places bound their number.
  static constexpr size_t kSmall = 16 << 10;

  // True if a call may hold `bytes` more; replies not taken by their clients may have to give way. REQUIRES: the call
  // does not wait for its client.
  bool MakeRoom(size_t bytes) {
    const size_t all = held_bytes + bytes;
    return bytes <= kSmall || held_bytes == 0 || all <= limits.unary_bytes || places.MakeRoom(all - limits.unary_bytes);
  }

  static session::Refusal TooMany(absl::string_view problem) {
    return session::OverQuota("unary_calls", problem, absl::Seconds(1));
  }

  // Ends calls with a request not sent or a reply not taken by the client. Call EndStale every second or so.
  void EndStale() {
    const absl::Time oldest = clock.Now() - limits.unread;
    places.EndStale(oldest);
    reflections.EndStale(oldest);
    last_words.EndStale();
  }

  grpc::ServerCompletionQueue& queue;
  session::Mailbox& mailbox;
  int& calls;  // alive on the queue
  const StreamLimits limits;
  const session::Clock& clock;
  CallPlaces places, reflections;
  LastWords last_words;
  size_t held_bytes = 0;
  bool draining = false;                       // the server leaves
  const identity::Callers* callers = nullptr;  // the known callers; null: everybody may do everything
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_UNARY_HOST_H_
