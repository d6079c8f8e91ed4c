#include "server/net/rpc/limits/last_words.h"

namespace aaren::rpc {
namespace {

constexpr size_t kMost = 1024;
constexpr size_t kMostWithCutOff = 2 * kMost;
constexpr absl::Duration kTime = absl::Seconds(5);

}  // namespace

void LastWords::Begin(Word& word, Cancelling cancel) {
  word.words_ = this;
  word.at_ = list_.emplace(list_.end(), clock_.Now(), std::move(cancel));
  if (list_.size() > kMost) CutOffOldest();
}

void LastWords::EndStale() {
  while (!list_.empty() && list_.front().first + kTime <= clock_.Now()) CutOffOldest();
}

// Moves the oldest entry to cut_off_; the entry's Word still points to it.
void LastWords::CutOffOldest() {
  cut_off_.splice(cut_off_.end(), list_, list_.begin());
  std::exchange(cut_off_.back().second, nullptr)();
}

// Removes the entry from either list.
void LastWords::End(List::iterator at) {
  List gone;
  gone.splice(gone.end(), at->second ? list_ : cut_off_, at);
  AcceptIfFew();
}

void LastWords::AcceptIfFew() {
  if (waiting_.empty() || paused_ || list_.size() + cut_off_.size() >= kMostWithCutOff) return;
  for (Accept& accept : std::exchange(waiting_, {})) accept();
}

void LastWords::WhenFew(Accept accept) {
  waiting_.push_back(std::move(accept));
  AcceptIfFew();
}

void LastWords::Resume() {
  paused_ = false;
  AcceptIfFew();
}

}  // namespace aaren::rpc
