#include "server/sessions/shard/handles/refused_handles.h"

#include <algorithm>

namespace aaren::shard {

void RefusedHandles::Remember(queue::Attachment& stream, session::Handle handle) {
  constexpr size_t kMost = 4096, kMostOfAll = 1 << 16;  // limits of server/README.md, "Sessions"
  Erase(stream, handle);
  if (stream.refused >= std::min(kMost, (kMostOfAll - remembered_) / 2)) return;
  ++stream.refused;
  ++remembered_;
  stream.Bind(handle, &binding_);
}

void RefusedHandles::Erase(queue::Attachment& stream, session::Handle handle) {
  if (stream.handles.Find(handle) == &binding_) {
    --stream.refused;
    --remembered_;
  }
  stream.Unbind(handle);
}

}  // namespace aaren::shard
