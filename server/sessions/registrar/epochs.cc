#include "server/sessions/registrar/epochs.h"

#include <algorithm>

namespace aaren::registrar {
namespace {

constexpr uint64_t kBlock = 1024;
constexpr size_t kOwnBlocks = 256;  // blocks that count as the server's own

}  // namespace

void Epochs::Draw(uint64_t above, Drawn then) {
  next_ = std::max(next_, std::min(above + 1, end_));
  if (next_ < end_) return then(next_++);
  waiters_.push_back({above, std::move(then)});
  if (waiters_.size() == 1) AskForBlock(above);
}

// A store that has lost its counter, but not its sessions, is taken beyond the sessions at once.
void Epochs::AskForBlock(uint64_t above) {
  const bool behind = end_ > 0 && above >= end_;
  const uint64_t count = behind ? above - end_ + kBlock : kBlock;
  store_.ReserveEpochs(count, mail_.Back<absl::StatusOr<uint64_t>>(
                                  [this, count](const absl::StatusOr<uint64_t>& first) { OnBlock(first, count); }));
}

void Epochs::OnBlock(const absl::StatusOr<uint64_t>& first, uint64_t count) {
  if (first.ok()) {
    next_ = *first;
    end_ = *first + count;
    own_.emplace_front(next_, end_);
    if (own_.size() > kOwnBlocks) own_.pop_back();
  }
  for (Waiter& waiter : std::exchange(waiters_, {})) {
    if (!first.ok()) {
      waiter.then(first.status());
    } else {
      Draw(waiter.above, std::move(waiter.then));  // asks for another block if many wait
    }
  }
}

bool Epochs::IsOwn(uint64_t epoch) const {
  return std::any_of(own_.begin(), own_.end(),
                     [epoch](const auto& block) { return block.first <= epoch && epoch < block.second; });
}

}  // namespace aaren::registrar
