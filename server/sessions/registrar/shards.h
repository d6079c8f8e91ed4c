#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_SHARDS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_SHARDS_H_

// Shards are the owners of sessions, and the way to ask an owner: a question runs on the shard's thread, and the answer
// comes back on the registrar's.
//
// A demoted session has the row in the store only, while a stream has the session open. For the registrar a demoted
// session is at rest. The registrar does not know the handle's shard, so the registrar tells or asks all shards with
// demoted sessions.
//
// Threading: belongs to the registrar's thread.

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "server/sessions/registrar/mail.h"
#include "server/sessions/registrar/owner.h"

namespace aaren::registrar {

class Shards {
 public:
  // `mail` outlives the Shards.
  explicit Shards(Mail& mail) : mail_(mail) {}

  // REQUIRES: before the first operation.
  void Add(SessionOwner& owner);

  // Runs question(owner) on the shard's thread, and then(answer) back on the registrar's thread.
  template <typename Question, typename Then>
  void Ask(int shard, Question question, Then then) {
    SessionOwner& owner = *shards_[shard];
    owner.mailbox().Post([this, &owner, question = std::move(question), then = std::move(then)]() mutable {
      auto answer = question(owner);
      mail_.Post([then = std::move(then), answer = std::move(answer)]() mutable { then(std::move(answer)); });
    });
  }

  // Runs message(owner) on the shard's thread.
  template <typename Message>
  void Tell(int shard, Message message) {
    SessionOwner& owner = *shards_[shard];
    owner.mailbox().Post([&owner, message = std::move(message)]() mutable { message(owner); });
  }

  // A session at rest is another writer's now, by `epoch`, or gone: a shard with the demoted session ends the session.
  void TellDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal);

  // Asks for each of the sessions at rest: does a stream have the demoted session open?
  void AskDemoted(std::vector<std::string> keys, absl::AnyInvocable<void(std::vector<bool>)> then);

  int count() const { return static_cast<int>(shards_.size()); }

  // The limits of all shards together.
  const OwnerLimits& limits() const { return limits_; }

 private:
  Mail& mail_;
  std::vector<SessionOwner*> shards_;
  OwnerLimits limits_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_SHARDS_H_
