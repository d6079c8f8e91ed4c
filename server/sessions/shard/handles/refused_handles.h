#ifndef AAREN_SERVER_SESSIONS_SHARD_HANDLES_REFUSED_HANDLES_H_
#define AAREN_SERVER_SESSIONS_SHARD_HANDLES_REFUSED_HANDLES_H_

// RefusedHandles are handles whose Open was refused, or whose session was taken away. The shard drops later items of a
// refused handle silently until the next Open or Close. The number is bounded, for a stream and for all streams, and a
// stream may have half of the remaining number. A handle beyond the bound is like a handle never opened.
// Threading: belongs to one shard.

#include <cstddef>

#include "server/sessions/queue/attachment.h"
#include "server/sessions/session/session.h"

namespace aaren::shard {

class RefusedHandles {
 public:
  // The handle stands for nothing else from now on.
  void Remember(queue::Attachment& stream, session::Handle handle);
  void Erase(queue::Attachment& stream, session::Handle handle);

  // The stream has gone.
  void Forget(const queue::Attachment& stream) { remembered_ -= stream.refused; }

 private:
  session::Binding binding_{session::Binding::Kind::kRefused};  // all refused handles share a Binding
  size_t remembered_ = 0;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_HANDLES_REFUSED_HANDLES_H_
