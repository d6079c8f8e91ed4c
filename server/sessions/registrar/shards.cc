#include "server/sessions/registrar/shards.h"

#include <algorithm>
#include <memory>

namespace aaren::registrar {

void Shards::Add(SessionOwner& owner) {
  shards_.push_back(&owner);
  const OwnerLimits limits = owner.limits();
  limits_.saves |= limits.saves;
  limits_.session_ttl = std::max(limits_.session_ttl, limits.session_ttl);
  limits_.max_channels = std::max(limits_.max_channels, limits.max_channels);
  limits_.lease = limits.lease;
}

void Shards::TellDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal) {
  for (int shard = 0; shard < count(); ++shard) {
    if (shards_[shard]->demoted() == 0) continue;
    Tell(shard, [key, epoch, refusal](SessionOwner& owner) { owner.LoseDemoted(key, epoch, refusal); });
  }
}

void Shards::AskDemoted(std::vector<std::string> keys, absl::AnyInvocable<void(std::vector<bool>)> then) {
  struct Answers {
    std::vector<bool> holds;
    size_t waiting = 1;
    absl::AnyInvocable<void(std::vector<bool>)> then;
    void OneLess() {
      if (--waiting == 0) then(std::move(holds));
    }
  };
  auto answers = std::make_shared<Answers>();
  answers->holds.resize(keys.size());
  answers->then = std::move(then);
  for (int shard = 0; shard < count() && !keys.empty(); ++shard) {
    if (shards_[shard]->demoted() == 0) continue;
    ++answers->waiting;
    Ask(
        shard, [keys](SessionOwner& owner) { return owner.HoldsDemoted(keys); },
        [answers](const std::vector<bool>& holds) {
          for (size_t i = 0; i < holds.size(); ++i) answers->holds[i] = answers->holds[i] || holds[i];
          answers->OneLess();
        });
  }
  answers->OneLess();
}

}  // namespace aaren::registrar
