#ifndef AAREN_SERVER_SHARD_REFUSED_HANDLES_H_
#define AAREN_SERVER_SHARD_REFUSED_HANDLES_H_

// Handles whose Open was refused, or whose session was taken away: what was sent behind that is dropped silently until
// the next Open or Close of the handle. Only so many are remembered, of a stream and of all, where one may have half of
// what is left. The others are like those that were never opened. Threading: belongs to one shard.

#include <cstddef>

#include "server/queue/attachment.h"
#include "server/session/session.h"

namespace aaren::shard {

class RefusedHandles {
 public:
  // The handle stands for nothing else from now on.
  void Remember(queue::Attachment& stream, session::Handle handle);
  void Erase(queue::Attachment& stream, session::Handle handle);

  // The stream has gone.
  void Forget(const queue::Attachment& stream) { remembered_ -= stream.refused; }

 private:
  session::Binding binding_{session::Binding::Kind::kRefused};  // shared by all of them
  size_t remembered_ = 0;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_REFUSED_HANDLES_H_
