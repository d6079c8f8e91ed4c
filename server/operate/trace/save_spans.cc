#include "server/operate/trace/save_spans.h"

#include <utility>

namespace aaren::trace {

void SaveSpans::Follow(absl::string_view session, const SpanContext& message, int64_t now_ns) {
  auto found = sessions_.find(session);
  if (found == sessions_.end()) {
    if (!MakeRoom(now_ns)) return;
    found = sessions_.try_emplace(std::string(session)).first;
  }
  Followed& followed = found->second;
  followed.since_ns = now_ns;
  // A message may bring tokens of a session in several pieces.
  const bool again = !followed.waiting.empty() && followed.waiting.back().span == message.span;
  if (!again && followed.waiting.size() < kMostMessages) followed.waiting.push_back(message);
}

bool SaveSpans::MakeRoom(int64_t now_ns) {
  if (sessions_.size() < kMostSessions) return true;
  absl::erase_if(sessions_, [now_ns](const auto& entry) { return now_ns - entry.second.since_ns > kPatienceNs; });
  return sessions_.size() < kMostSessions;
}

void SaveSpans::Begin(absl::string_view session, int64_t now_ns) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  Followed& followed = found->second;
  // Messages stepped from now on wait for the next save.
  followed.saving = std::exchange(followed.waiting, {});
  followed.began_ns = followed.since_ns = now_ns;
}

std::optional<Span> SaveSpans::End(absl::string_view session, uint64_t seq, const absl::Status& status, int64_t now_ns,
                                   Sampler& ids) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.saving.empty()) return std::nullopt;
  Followed& followed = found->second;
  Span span;
  span.name = "store";
  span.kind = Span::Kind::kClient;
  span.context = {followed.saving.front().trace, ids.NewSpan()};
  span.parent = followed.saving.front().span;
  span.links.assign(followed.saving.begin() + 1, followed.saving.end());
  span.begin_ns = followed.began_ns;
  span.end_ns = now_ns;
  span.attributes = {{"aaren.seq", static_cast<int64_t>(seq)}};
  if (!status.ok()) {
    span.error = absl::StatusCodeToString(status.code());
    // The next save will cover the tokens of the failed save: the older messages come first.
    followed.waiting.insert(followed.waiting.begin(), followed.saving.begin(), followed.saving.end());
    if (followed.waiting.size() > kMostMessages) followed.waiting.resize(kMostMessages);
  }
  followed.saving.clear();
  followed.since_ns = now_ns;
  if (followed.waiting.empty()) sessions_.erase(found);
  return span;
}

}  // namespace aaren::trace
