#include "tests/e2e/soak/clients/owner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/e2e/soak/clients/speech.h"

namespace aaren::soak {
namespace {

constexpr uint64_t kWaiting = 8192;  // tokens not answered yet

}  // namespace

Owner::Owner(World& world, int number, const std::vector<std::string>& ids)
    : world_(world), name_(absl::StrCat("owner-", number)), chance_(world.seed, static_cast<uint64_t>(number)) {
  for (const std::string& id : ids) {
    jobs_.push_back({std::make_unique<Errand>(world, id, /*tracked=*/!chance_.OneIn(4), Goal())});
  }
}

void Owner::Leave() {
  for (auto& conversation : conversations_) conversation.reset();
}

std::string Owner::Unfinished() const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return !job.finished->load(); });
  return found == jobs_.end() ? "" : found->errand->id();
}

bool Owner::Ready(std::unique_ptr<Conversation>& conversation) {
  if (conversation && conversation->speaking()) return true;
  if (conversation && !conversation->ended() && !chance_.OneIn(100)) return false;  // the rest of the stream is read
  conversation.reset();
  conversation = Conversation::Begin(world_, absl::StrCat(name_, "#", world_.history.counted("streams")));
  return conversation != nullptr;
}

void Owner::Turn() {
  absl::SleepFor(absl::Milliseconds(chance_.Draw(10)));
  if (Unfinished().empty()) return Leave();
  if (!world_.calm && chance_.OneIn(1500)) return Die();
  std::unique_ptr<Conversation>& conversation = conversations_[chance_.Draw(2)];
  if (!Ready(conversation)) return;
  if (!world_.calm && chance_.OneIn(150)) return Trouble(*conversation);
  Work(jobs_[chance_.Draw(jobs_.size())], *conversation);
}

void Owner::Trouble(Conversation& conversation) {
  switch (chance_.Draw(6)) {
    case 0:
      world_.history.Count("cancels");
      return conversation.Cancel();
    case 1:
      world_.history.Count("cut connections");
      return conversation.Cut();
    case 2:
      return conversation.HalfClose();
    default:
      world_.history.Count("pauses");
      return conversation.Pause(absl::Milliseconds(10 * chance_.Size(250)));
  }
}

void Owner::Die() {
  world_.history.Count("clients killed");
  for (auto& conversation : conversations_) {
    if (conversation) conversation->Cut();
    conversation.reset();
  }
  for (const Job& job : jobs_) job.errand->Crash();
}

// True if the other stream has the session open, as far as known here.
bool Owner::OpenElsewhere(const Job& job, Conversation& conversation) {
  Conversation* other = conversations_[conversations_[0].get() == &conversation ? 1 : 0].get();
  if (other == nullptr || other->ended()) return false;
  absl::MutexLock lock(&other->mutex());
  const auto& holds = other->holds();
  return std::any_of(holds.begin(), holds.end(), [&](const auto& hold) {
    return hold.second->id() == job.errand->id() && (hold.second->live() || hold.second->closing()) &&
           hold.second->phase() != Hold::Phase::kClosed && hold.second->phase() != Hold::Phase::kRefused;
  });
}

void Owner::Work(Job& job, Conversation& conversation) {
  if (*job.finished) return;
  if (job.errand->deleted()) {
    *job.finished = world_.calm.load();
    world_.history.Count("sessions completed");
    if (!*job.finished) job.errand->Renew(Goal());
    return;
  }
  const bool elsewhere = OpenElsewhere(job, conversation);
  v1::ClientMessage message;
  {
    absl::MutexLock lock(&conversation.mutex());
    uint32_t handle = 0;
    Hold* hold = nullptr;
    for (const auto& [number, held] : conversation.holds()) {
      if (held->id() != job.errand->id()) continue;
      if (held->phase() == Hold::Phase::kClosed || held->phase() == Hold::Phase::kRefused) continue;
      handle = number;
      hold = held.get();
    }
    if (hold != nullptr) {
      if (hold->live() && !elsewhere) Go(job, conversation, {handle, *hold, /*delivers=*/true}, message);
      if (hold->live() && elsewhere && hold->phase() == Hold::Phase::kOpen)
        Send(job, conversation, {handle, *hold, /*delivers=*/false}, message);
    } else if (job.errand->deleted()) {
      return;                                                        // meanwhile
    } else if (!elsewhere || (!world_.calm && chance_.OneIn(40))) {  // else the open session is moved
      v1::Open open = OpenOf(job.errand->id(), conversation.FreeHandle(), world_.oracle.config(), chance_);
      job.errand->Fill(open, /*strict=*/chance_.OneIn(2));
      conversation.Open(open, *job.errand, message);
    }
  }
  conversation.Say(message);
}

void Owner::Go(Job& job, Conversation& conversation, Grip grip, v1::ClientMessage& message) {
  Hold& hold = grip.hold;
  if (hold.phase() != Hold::Phase::kOpen) return;
  if (job.errand->reached() && hold.answered() >= job.errand->goal()) return End(job, grip, message);
  if (!world_.calm && chance_.OneIn(150)) {
    v1::Close& close = *message.add_items()->mutable_close();
    close.set_handle(grip.handle);
    if (job.errand->tracked() && chance_.OneIn(2)) close.set_delivered_seq(job.errand->Deliver());
    return hold.Send(close);
  }
  Send(job, conversation, grip, message);
}

void Owner::End(Job& job, Grip grip, v1::ClientMessage& message) {
  job.errand->Deleting();
  v1::Close& close = *message.add_items()->mutable_close();
  close.set_handle(grip.handle);
  close.set_delete_session(true);
  grip.hold.Send(close);
}

void Owner::Send(Job& job, Conversation& conversation, Grip grip, v1::ClientMessage& message) {
  Hold& hold = grip.hold;
  Errand& errand = *job.errand;
  for (uint64_t items = chance_.Size(4); items > 0; --items) {
    if (conversation.waiting() > kWaiting || hold.expected() >= errand.goal()) return;
    uint64_t most = std::min(chance_.OneIn(12) ? kTokensPerItem : uint64_t{64}, errand.goal() - hold.expected());
    if (errand.tracked()) {
      const uint64_t delivered = grip.delivers && chance_.OneIn(3) ? errand.Deliver() : errand.delivered();
      most = std::min(most, delivered + kInFlightTokens - std::min(hold.expected(), delivered + kInFlightTokens));
      if (most == 0) return;
    }
    v1::Tokens tokens = NextTokens(hold, grip.handle, most, chance_);
    if (errand.tracked()) tokens.set_delivered_seq(errand.delivered());
    hold.Send(tokens);
    world_.ledger.Sending(*hold.life(), hold.expected());
    *message.add_items()->mutable_tokens() = std::move(tokens);
  }
}

}  // namespace aaren::soak
