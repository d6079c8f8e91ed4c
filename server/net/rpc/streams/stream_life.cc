#include "server/net/rpc/streams/stream_life.h"

namespace aaren::rpc {
namespace {

constexpr absl::Duration kInTheWay = absl::Seconds(1);    // for a client that keeps others from being served
constexpr absl::Duration kLastSecond = absl::Seconds(1);  // for a struck out caller to take the status

}  // namespace

void StreamLife::Greet(absl::Time now) {
  phase_ = Phase::kGreeted;
  used_ = now;
}

bool StreamLife::End(grpc::Status status) {
  if (!takes_items()) return false;
  phase_ = Phase::kEnding;
  last_word_ = std::move(status);
  return true;
}

StreamLife::Verdict StreamLife::Look(const Signs& signs, const StreamLimits& limits, absl::Time now) {
  if (finishing()) return Verdict::kStays;
  if (struck_out()) return now - struck_out_at_ >= kLastSecond ? Verdict::kNoLastWord : Verdict::kStays;
  if (signs.writing && now - signs.writing_since > (signs.in_the_way ? kInTheWay : limits.unread)) {
    return Verdict::kUnread;
  }
  if (ending()) return Verdict::kStays;  // until the write is over
  if (signs.in_use) {
    used_ = now;
    return Verdict::kStays;
  }
  const absl::Duration limit = greeted() ? limits.unused : limits.hello;
  if (limit <= absl::ZeroDuration() || now - used_ <= limit) return Verdict::kStays;
  return greeted() ? Verdict::kNothingIsOpen : Verdict::kNoHello;
}

}  // namespace aaren::rpc
