#ifndef AAREN_SERVER_TRACE_MESSAGE_SPANS_H_
#define AAREN_SERVER_TRACE_MESSAGE_SPANS_H_

// What is noted of one message while it is traced, and the spans that this becomes:
//
//   message  ├────────────────────────────────────────────────┤  from gRPC's read until gRPC took the last reply
//   read     ├──────┤                                            parsed and checked, the turns of others included
//   queue           ├─────┤        ├───┤                         until its tokens were granted a step
//   step                  ├────────┤   ├───────┤                 the engine's batch, with the tokens of others
//   write                                      ├──────────────┤  until gRPC took the last reply
//
// A message whose tokens were stepped together has one queue and one step. Times are of the shard's clock.
// Threading: plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "server/trace/sampler.h"
#include "server/trace/span.h"

namespace aaren::trace {

// A batch in which tokens of the message were.
struct StepNote {
  int64_t began_ns = 0, ended_ns = 0;
  uint32_t batch_tokens = 0;  // of all messages, times channels
  uint64_t tokens = 0;        // of this one
  std::string model = {};     // "name:version"
};

struct MessageNotes {
  static constexpr size_t kMostSteps = 16;  // that become spans

  SpanContext context;              // of the message's span
  std::optional<SpanContext> link;  // what the client's stream is part of
  std::string tenant;               // empty: nobody's
  int shard = 0;
  int64_t began_ns = 0;
  int64_t read_ns = 0;   // 0: not to its end
  int64_t ready_ns = 0;  // everything is answered; 0: not yet
  int64_t written_ns = 0;
  uint64_t bytes = 0;
  uint64_t items = 0;                     // that hold tokens
  absl::flat_hash_set<uint32_t> handles;  // of their sessions, until it is read
  uint64_t sessions = 0;                  // how many these were
  uint64_t tokens = 0;                    // that were taken: no duplicates, none that were refused
  std::vector<StepNote> steps;            // the first of them
  uint64_t step_count = 0;
  std::string error;  // the first; empty: none
};

// The message's span is the first; the others are its children, in order of time. `wall_ns` is what the wall clock is
// ahead of the notes' times.
std::vector<Span> ToSpans(const MessageNotes& notes, int64_t wall_ns, Sampler& ids);

}  // namespace aaren::trace

#endif  // AAREN_SERVER_TRACE_MESSAGE_SPANS_H_
