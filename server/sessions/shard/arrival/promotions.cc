#include "server/sessions/shard/arrival/promotions.h"

#include <algorithm>
#include <utility>

namespace aaren::shard {
namespace {

constexpr size_t kMostStarted = 1024;                           // a started promotion has rows set aside
constexpr absl::Duration kFirstPause = absl::Milliseconds(50);  // README.md, "The store is away"
constexpr absl::Duration kLongestPause = absl::Seconds(5);

}  // namespace

Promotion& Promotions::Add(Demoted& demoted, uint64_t ticket, int64_t now_ns) {
  std::unique_ptr<Promotion>& added = all_[ticket];
  added = std::make_unique<Promotion>();
  Promotion& promotion = *added;
  promotion.stream = demoted.stream;
  promotion.handle = demoted.handle;
  promotion.demoted = &demoted;
  promotion.ticket = ticket;
  promotion.began_ns = now_ns;
  promotion.backoff = kFirstPause;
  demoted.promoting = true;
  ++promotion.stream->promotions;
  promotion.stream->Bind(promotion.handle, &promotion);
  LineOf(promotion).push_back(ticket);
  return promotion;
}

Promotion* Promotions::Find(uint64_t ticket) {
  const auto found = all_.find(ticket);
  return found == all_.end() ? nullptr : found->second.get();
}

std::unique_ptr<Promotion> Promotions::Take(uint64_t ticket) {
  auto taken = all_.extract(ticket);
  if (taken.empty()) return nullptr;
  --taken.mapped()->stream->promotions;
  return std::move(taken.mapped());
}

Promotions::Line& Promotions::LineOf(const Promotion& promotion) {
  const size_t model = promotion.demoted->model;
  if (model >= waiting_.size()) waiting_.resize(model + 1);
  return waiting_[model];
}

bool Promotions::any_waits() const {
  return std::any_of(waiting_.begin(), waiting_.end(), [](const Line& line) { return !line.empty(); });
}

bool Promotions::OneWaitsSince(int64_t began_ns) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Line& line) {
    const auto found = line.empty() ? all_.end() : all_.find(line.front());
    return found != all_.end() && found->second->began_ns <= began_ns;
  });
}

void Promotions::StartAll(absl::FunctionRef<bool(Promotion&)> start) {
  bool started = true;
  while (started) {
    started = false;
    for (Line& line : waiting_) started |= StartNextOf(line, start);
  }
}

// False if no promotion waits in the line, or no row is free.
bool Promotions::StartNextOf(Line& line, absl::FunctionRef<bool(Promotion&)> start) {
  if (line.empty() || started_ >= kMostStarted) return false;
  Promotion* promotion = Find(line.front());
  if (promotion != nullptr && !start(*promotion)) return false;
  if (promotion != nullptr) ++started_;
  line.pop_front();
  return true;
}

void Promotions::Unstart(Promotion& promotion) {
  if (promotion.call == nullptr) return;
  promotion.call->cancelled = true;
  promotion.call.reset();
  --started_;
}

void Promotions::Pause(Promotion& promotion, int64_t now_ms) {
  pausing_.emplace(now_ms + absl::ToInt64Milliseconds(promotion.backoff), promotion.ticket);
  promotion.backoff = std::min(2 * promotion.backoff, kLongestPause);
}

void Promotions::EndPauses(int64_t until_ms) {
  while (!pausing_.empty() && pausing_.begin()->first <= until_ms) {
    const Promotion* promotion = Find(pausing_.begin()->second);
    if (promotion != nullptr) LineOf(*promotion).push_back(promotion->ticket);
    pausing_.erase(pausing_.begin());
  }
}

Promotions::Line* Promotions::NewestLine() {
  Line* newest = nullptr;
  for (Line& line : waiting_) {
    if (!line.empty() && (newest == nullptr || line.back() > newest->back())) newest = &line;
  }
  return newest;
}

void Promotions::HandOverNewest(size_t most_staying, absl::FunctionRef<bool()> more,
                                absl::FunctionRef<bool(const Promotion&)> may,
                                absl::FunctionRef<void(Promotion&)> hand_over) {
  std::vector<std::pair<Line*, uint64_t>> staying;
  while (more() && staying.size() < most_staying) {
    Line* newest = NewestLine();
    if (newest == nullptr) break;
    const uint64_t ticket = newest->back();
    newest->pop_back();
    Promotion* promotion = Find(ticket);
    if (promotion == nullptr) continue;
    if (may(*promotion)) {
      hand_over(*promotion);
    } else {
      staying.emplace_back(newest, ticket);
    }
  }
  for (; !staying.empty(); staying.pop_back()) staying.back().first->push_back(staying.back().second);
}

}  // namespace aaren::shard
