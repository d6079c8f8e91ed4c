#include "server/sessions/registrar/epochs.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aaren::registrar {
namespace {

constexpr uint64_t kBlock = 1024;
constexpr size_t kOwnBlocks = 65'536;  // blocks that count as the server's own

}  // namespace

void Epochs::Draw(uint64_t above, Drawn then) { DrawOrAsk(above, std::move(then), kBlock); }

void Epochs::DrawOrAsk(uint64_t above, Drawn then, uint64_t count) {
  next_ = std::max(next_, std::min(above + 1, end_));
  if (next_ < end_) return then(next_++);
  waiters_.push_back({above, std::move(then)});
  if (waiters_.size() == 1) AskForBlock(count);
}

void Epochs::AskForBlock(uint64_t count) {
  store_.ReserveEpochs(count, mail_.Back<absl::StatusOr<uint64_t>>(
                                  [this, count](const absl::StatusOr<uint64_t>& first) { OnBlock(first, count); }));
}

// A store that has lost its counter, but not its sessions, gives a block below the sessions: the next goes beyond.
void Epochs::OnBlock(const absl::StatusOr<uint64_t>& first, uint64_t count) {
  if (first.ok()) {
    next_ = *first;
    end_ = *first + count;
    own_[next_] = end_;
    if (own_.size() > kOwnBlocks) own_.erase(own_.begin());
  }
  for (Waiter& waiter : std::exchange(waiters_, {})) {
    if (!first.ok()) {
      waiter.then(first.status());
    } else {
      const uint64_t behind = waiter.above < end_ ? 0 : waiter.above - end_;
      DrawOrAsk(waiter.above, std::move(waiter.then), behind + kBlock);
    }
  }
}

bool Epochs::IsOwn(uint64_t epoch) const {
  const auto after = own_.upper_bound(epoch);
  return after != own_.begin() && epoch < std::prev(after)->second;
}

}  // namespace aaren::registrar
