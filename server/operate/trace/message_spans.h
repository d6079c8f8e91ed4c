#ifndef AAREN_SERVER_OPERATE_TRACE_MESSAGE_SPANS_H_
#define AAREN_SERVER_OPERATE_TRACE_MESSAGE_SPANS_H_

// Notes about one message while the message is traced, and the spans made of the notes:
//
//   message  ├────────────────────────────────────────────────┤  from gRPC's read until gRPC took the last reply
//   read     ├──────┤                                            parsed and checked, with turns of other streams
//   queue           ├─────┤        ├───┤                         until its tokens were granted a step
//   step                  ├────────┤   ├───────┤                 the engine's batch, with tokens of other messages
//   write                                      ├──────────────┤  until gRPC took the last reply
//
// A message whose tokens were stepped together has one queue and one step. Times are by the shard's clock. Threading:
// plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "server/operate/trace/sampler.h"
#include "server/operate/trace/span.h"

namespace aaren::trace {

// A batch with tokens of the message.
struct StepNote {
  int64_t began_ns = 0, ended_ns = 0;
  uint32_t batch_tokens = 0;  // all messages' tokens, times channels
  uint64_t tokens = 0;        // the message's own
  std::string model = {};     // "name:version"
};

struct MessageNotes {
  static constexpr size_t kMostSteps = 16;  // the most steps with spans

  SpanContext context;              // the message's span
  std::optional<SpanContext> link;  // the context of the client's stream
  std::string tenant;               // empty: nobody's
  int shard = 0;
  int64_t began_ns = 0;
  int64_t read_ns = 0;   // 0: not to the end
  int64_t ready_ns = 0;  // everything is answered; 0: not yet
  int64_t written_ns = 0;
  uint64_t bytes = 0;
  uint64_t items = 0;                     // items with tokens
  absl::flat_hash_set<uint32_t> handles;  // sessions' handles, until the message is read
  uint64_t sessions = 0;                  // the number of handles
  uint64_t tokens = 0;                    // tokens taken: no duplicates, no refused tokens
  std::vector<StepNote> steps;            // the first kMostSteps
  uint64_t step_count = 0;
  std::string error;  // the first; empty: none
};

// Makes the message's span, then its children in order of time. `wall_ns`: the wall clock's lead over the notes'
// times.
std::vector<Span> ToSpans(const MessageNotes& notes, int64_t wall_ns, Sampler& ids);

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_MESSAGE_SPANS_H_
