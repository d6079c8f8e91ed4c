#ifndef AAREN_SERVER_OPERATE_TRACE_SAVE_SPANS_H_
#define AAREN_SERVER_OPERATE_TRACE_SAVE_SPANS_H_

// SaveSpans follows sessions with stepped tokens of traced messages to the save of those tokens. The save is one span,
// "store": a child of the first traced message, with links to the rest. The span may begin and end long after the
// messages.
//
// Bounded: further sessions, and further messages of a session, are not followed. Threading: belongs to one shard.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/operate/trace/sampler.h"
#include "server/operate/trace/span.h"

namespace aaren::trace {

class SaveSpans {
 public:
  static constexpr size_t kMostSessions = 256;
  static constexpr size_t kMostMessages = 16;  // for one save
  static constexpr int64_t kPatienceNs = 60'000'000'000;

  // Tokens of the message are stepped into the session, and not saved yet. `now_ns`, here and below, is by the shard's
  // clock. A session without a save for a minute gives way to a new session: the old one has left, or waits for its
  // client.
  void Follow(absl::string_view session, const SpanContext& message, int64_t now_ns);

  bool empty() const { return sessions_.empty(); }

  // The session's rows were copied, and are on their way to the store.
  void Begin(absl::string_view session, int64_t now_ns);

  // The store has answered. None if nothing of the save is traced. After an error the next save is followed.
  std::optional<Span> End(absl::string_view session, uint64_t seq, const absl::Status& status, int64_t now_ns,
                          Sampler& ids);

 private:
  struct Followed {
    std::vector<SpanContext> waiting;  // for the next save
    std::vector<SpanContext> saving;   // for the save under way
    int64_t began_ns = 0;
    int64_t since_ns = 0;  // the session's last event
  };

  bool MakeRoom(int64_t now_ns);

  absl::flat_hash_map<std::string, Followed> sessions_;
};

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_SAVE_SPANS_H_
