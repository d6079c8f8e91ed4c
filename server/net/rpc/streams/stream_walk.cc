#include "server/net/rpc/streams/stream_walk.h"

#include <utility>

#include "server/net/rpc/streams/stream.h"

namespace aaren::rpc {
namespace {

constexpr int kLooksAtOnce = 16;                       // between two looks at the clock
constexpr absl::Duration kBetween = absl::Seconds(1);  // from the beginning of one walk to the next

}  // namespace

void StreamWalk::GoOn(absl::Duration at_most) {
  const session::Clock& clock = commons_.host.clock;
  const absl::Time now = clock.Now(), end = now + at_most;
  if (at_ >= to_) {
    if (now < next_) return;
    Begin(now);
  }
  const StreamTable::Streams& streams = commons_.table.streams();
  const StreamLook look{now, clock.Wall(), callers_, callers_changed_};
  int looks = 0;
  for (auto next = streams.upper_bound(at_); next != streams.end() && next->first <= to_; ++next) {
    if (++looks % kLooksAtOnce == 0 && clock.Now() > end) return;
    at_ = next->first;
    next->second->Look(look);
  }
  at_ = to_;
}

// Only a later list may know the callers of streams that begin during the walk.
void StreamWalk::Begin(absl::Time now) {
  next_ = now + kBetween;
  at_ = 0;
  to_ = commons_.table.last_number();
  if (commons_.host.callers == nullptr) return;
  identity::Callers::Known known = commons_.host.callers->Get();
  callers_changed_ = !(known == callers_);
  callers_ = std::move(known);
}

}  // namespace aaren::rpc
