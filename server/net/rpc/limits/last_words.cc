#include "server/net/rpc/limits/last_words.h"

#include <utility>

namespace aaren::rpc {

void LastWords::Begin(Word& word, Cancelling cancel) {
  word.words_ = this;
  word.place_ = places_.Take("", [cancel = std::move(cancel)](CallPlaces::Why) mutable { cancel(); });
  word.place_.BeginWaiting();
}

void LastWords::EndStale() { places_.EndStale(clock_.Now() - absl::Seconds(5)); }

void LastWords::AcceptIfFew() {
  if (waiting_.empty() || paused_ || places_.size() + places_.lost() >= 2 * kMost) return;
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
