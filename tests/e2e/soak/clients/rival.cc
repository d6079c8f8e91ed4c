#include "tests/e2e/soak/clients/rival.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/e2e/soak/clients/speech.h"

namespace aaren::soak {
namespace {

constexpr size_t kHolds = 4;
constexpr uint64_t kRivalWaiting = 8192;  // tokens not answered yet
constexpr uint64_t kLongest = 12'000;     // tokens of a session

}  // namespace

Rival::Rival(World& world, int number, std::vector<std::string> ids)
    : world_(world),
      name_(absl::StrCat("rival-", number)),
      chance_(world.seed, static_cast<uint64_t>(100 + number)),
      ids_(std::move(ids)) {}

void Rival::Connect() {
  conversation_.reset();
  conversation_ = Conversation::Begin(world_, absl::StrCat(name_, "#", world_.history.counted("streams")));
}

void Rival::Turn() {
  absl::SleepFor(absl::Milliseconds(chance_.Draw(12)));
  if (!conversation_ || !conversation_->speaking()) {
    // A half-closed stream is read to its end.
    if (!conversation_ || conversation_->ended() || chance_.OneIn(200)) Connect();
    return;
  }
  if (chance_.OneIn(100)) return Trouble();
  v1::ClientMessage message;
  {
    absl::MutexLock lock(&conversation_->mutex());
    for (uint64_t items = chance_.Size(6); items > 0; --items) {
      auto& holds = conversation_->holds();
      if (chance_.OneIn(30)) AddBadItem(*conversation_, chance_, message);
      if (chance_.OneIn(8) || holds.empty()) Open(message);
      const auto at = std::next(holds.begin(), static_cast<int64_t>(chance_.Draw(holds.size())));
      if (at->second->live()) Send(at->first, *at->second, message);
    }
  }
  conversation_->Say(message);
}

void Rival::Trouble() {
  switch (chance_.Draw(6)) {
    case 0:
      world_.history.Count("cancels");
      return conversation_->Cancel();
    case 1:
      world_.history.Count("cut connections");
      return conversation_->Cut();
    case 2:
      return conversation_->HalfClose();
    default:
      world_.history.Count("pauses");
      return conversation_->Pause(absl::Milliseconds(10 * chance_.Size(250)));
  }
}

void Rival::Open(v1::ClientMessage& message) {
  const auto& holds = conversation_->holds();
  const auto live = std::count_if(holds.begin(), holds.end(), [](const auto& hold) { return hold.second->live(); });
  if (static_cast<size_t>(live) >= kHolds) return;
  const std::string& id = ids_[chance_.Draw(ids_.size())];
  v1::Open open = OpenOf(id, conversation_->FreeHandle(), world_.oracle.config(), chance_);
  if (id.front() == 'f') {
    open.set_mode(v1::Open::RESUME);  // made by Fork and Import only
  } else if (chance_.OneIn(3)) {
    open.set_mode(static_cast<v1::Open::Mode>(chance_.Draw(3)));
  }
  const std::shared_ptr<Life> newest = world_.ledger.Newest(id);
  const uint64_t sent = newest ? newest->sent.load() : 0;
  if (chance_.OneIn(2)) open.set_delivered_seq(chance_.Draw(sent + 10));
  const bool behind = newest && newest->track && chance_.OneIn(3);
  if (behind) open.set_incarnation(newest->incarnation);
  Hold& hold = conversation_->Open(open, *this, message);
  if (!behind) return;
  // The session's position is not known yet: tokens sent behind the Open may come too late, too early or right.
  const Series& series = *newest->track->series();
  const uint64_t from = chance_.OneIn(3) ? chance_.Draw(sent + 1) : sent;
  if (from < series.branch()) return;
  const uint64_t end = series.SameUntil(from, from + chance_.Size(64));
  v1::Tokens tokens = TokensOf(series, open.handle(), from, end, from);
  world_.ledger.Sending(*newest, end);
  hold.Send(tokens);
  *message.add_items()->mutable_tokens() = std::move(tokens);
}

void Rival::Send(uint32_t handle, Hold& hold, v1::ClientMessage& message) {
  if (chance_.OneIn(60) || hold.expected() > kLongest) return Close(handle, hold, message);
  if (hold.phase() != Hold::Phase::kOpen || !hold.life()->track || conversation_->waiting() > kRivalWaiting) return;
  const uint64_t most = chance_.OneIn(10) ? kTokensPerItem : 64;
  v1::Tokens tokens = NextTokens(hold, handle, most, chance_);
  if (chance_.OneIn(4)) tokens.set_delivered_seq(chance_.Draw(hold.answered() + 2));
  hold.Send(tokens);
  world_.ledger.Sending(*hold.life(), hold.expected());
  *message.add_items()->mutable_tokens() = std::move(tokens);
}

void Rival::Close(uint32_t handle, Hold& hold, v1::ClientMessage& message) {
  v1::Close close;
  close.set_handle(handle);
  close.set_delete_session(chance_.OneIn(3) || hold.expected() > kLongest);
  if (chance_.OneIn(3)) close.set_delivered_seq(hold.answered());
  hold.Send(close);
  *message.add_items()->mutable_close() = close;
}

}  // namespace aaren::soak
