#ifndef AAREN_SERVER_SESSIONS_SHARD_CORE_H_
#define AAREN_SERVER_SESSIONS_SHARD_CORE_H_

#include <cstdint>
#include <utility>

#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/directory.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/session/mailbox.h"
#include "server/sessions/shard/shard_counters.h"
#include "server/sessions/shard/shard_options.h"

namespace aaren::shard {

// The surroundings of all parts of a shard. Threading: belongs to one shard; any thread may read the counters and post
// to the mailbox.
struct Core {
  // The references outlive the Core.
  Core(int i, ShardOptions o, const models::ModelTable& m, registrar::Directory& d, const session::Clock& c)
      : index(i), options(std::move(o)), models(m), directory(d), clock(c) {}

  int64_t now_ms() const { return clock.NowNanos() / 1'000'000; }
  bool expires() const { return options.session_ttl > absl::ZeroDuration(); }

  const int index;  // counts from 0, in the order of Registrar::AddShard
  const ShardOptions options;
  const models::ModelTable& models;
  registrar::Directory& directory;
  const session::Clock& clock;
  ShardCounters counters;
  session::Mailbox mailbox;
  uint64_t next_ticket = 0;  // Opens, deleting Closes and promotions draw tickets
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_CORE_H_
