#ifndef AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_BARE_STREAM_H_
#define AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_BARE_STREAM_H_

// A BareStream is a stream with open sessions outside every shard, for tests of a queue, a saver or a stepper alone.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/identity/accounts/account.h"
#include "server/sessions/models/loaded_model.h"
#include "server/sessions/queue/token_queue.h"
#include "server/sessions/session/session.h"
#include "server/sessions/task/output.h"
#include "tests/server/sessions/shard/world/fake_peer.h"

namespace aaren::shard {

class BareStream {
 public:
  // The queue outlives the stream; `account` is null for a server without a list of callers.
  explicit BareStream(queue::TokenQueue& queue, identity::Account* account = nullptr)
      : peer(PeerOf(account)), notes(peer, queue.room().LineOf(account)), queue_(queue) {}
  ~BareStream() {
    for (session::Session& session : sessions_) queue_.Forget(session);
    queue_.turns().Leave(notes);
  }

  // Opens a session on the stream; handles count from 0.
  session::Session& Open(const models::LoadedModel& model, uint32_t channels = 1) {
    session::Session& session = sessions_.emplace_back();
    session.model = &model;
    session.channels = channels;
    session.handle = static_cast<session::Handle>(sessions_.size() - 1);
    session.key = session::CompactKey(absl::StrCat("default/s", session.handle));
    session.plan = &plan;
    session.stream = &notes;
    notes.Bind(session.handle, &session);
    return session;
  }

  // Queues `count` tokens with the numbers of Values, behind the waiting tokens.
  void Push(session::Session& session, uint32_t count, bool silent = false) {
    const uint64_t first = session.point.seq + (session.flow != nullptr ? session.flow->tokens : 0);
    const std::vector<float> values = Values(first, size_t{count} * session.channels);
    session::TokensView tokens;
    tokens.first_seq = first;
    tokens.values = values;
    tokens.silent = silent;
    queue_.PushTokens(session, tokens, /*skip=*/0, session.point.clock, /*arrival_ns=*/1);
  }

  FakePeer peer;
  queue::Attachment notes;
  task::OutputPlan plan;

 private:
  static FakePeer PeerOf(identity::Account* account) {
    FakePeer peer;
    peer.account = account;
    return peer;
  }

  queue::TokenQueue& queue_;
  std::deque<session::Session> sessions_;
};

}  // namespace aaren::shard

#endif  // AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_BARE_STREAM_H_
