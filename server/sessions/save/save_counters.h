#ifndef AAREN_SERVER_SESSIONS_SAVE_SAVE_COUNTERS_H_
#define AAREN_SERVER_SESSIONS_SAVE_SAVE_COUNTERS_H_

#include "server/operate/counters/counter.h"

namespace aaren::save {

// The numbers of a shard's saves. One thread writes, any thread reads.
struct SaveCounters {
  counters::Counter saves, save_failures, saves_retried;
  counters::Histogram<counters::kLatencyBounds.size()> token_seconds{
      counters::kLatencyBounds};  // from a token's arrival to the reply handed to the stream, saved or not
  counters::Histogram<counters::kLatencyBounds.size()> save_seconds{
      counters::kLatencyBounds};  // the part of token_seconds for which a reply waited for a save
};

}  // namespace aaren::save

#endif  // AAREN_SERVER_SESSIONS_SAVE_SAVE_COUNTERS_H_
