#include "server/sessions/shard/departure/departures.h"

#include <utility>

#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

constexpr int64_t kEvictionMs = 5000;  // a session unsaved by then stays, and the caller is told

}  // namespace

void Departures::Detach(session::Session& session) {
  steps_.Forget(session);
  residents_.Detach(session);
}

void Departures::Fence(session::Session& session, uint64_t current_epoch) {
  TakeAway(session, session::Fenced(session::SessionId(session.key.view()), current_epoch), 0);
}

void Departures::TakeAway(session::Session& session, const session::Refusal& refusal, uint64_t expected_seq) {
  queue::Attachment& stream = *session.stream;
  const session::Handle handle = session.handle;
  const bool closing = session.closing, stalled = session.stalled;
  Detach(session);
  if (!closing) {
    handles_.refused().Remember(stream, handle);
    stream.peer.OnFailed(handle, refusal, expected_seq);
    if (stalled) stream.peer.OnRoom();
    return;
  }
  stream.Unbind(handle);
  stream.peer.OnCloseRefused(handle, refusal);
  stream.peer.OnRoom();
}

void Departures::Lose(session::Session& session, const absl::Status& status) {
  if (session.stream != nullptr) TakeAway(session, session::EngineFailed(status), session.point.seq);
  core_.directory.Released(std::string(session.key.view()));
  residents_.Remove(session);
}

void Departures::LoseToWriter(session::Session& session, uint64_t current_epoch) {
  core_.counters.sessions_fenced.Add(1);
  if (session.stream != nullptr) Fence(session, current_epoch);
  core_.directory.Released(std::string(session.key.view()));
  residents_.Remove(session);
}

void Departures::LetGo(session::Session& session) {
  core_.counters.sessions_evicted.Add(1);
  core_.directory.Released(std::string(session.key.view()));
  residents_.Remove(session);
}

void Departures::FinishClose(session::Session& session, bool delete_session) {
  if (delete_session) {
    Delete({session.stream, session.handle, std::string(session.key.view()), session.epoch, session.point.seq,
            session.told_durable_seq()});
    return Detach(session);
  }
  queue::Attachment& stream = *session.stream;
  stream.Unbind(session.handle);
  Detach(session);
  stream.peer.OnClosed(session.handle, session.point.seq, session.told_durable_seq());
  stream.peer.OnRoom();
}

// The request names the epoch: a session opened by another writer meanwhile is not deleted.
void Departures::Delete(Closable closable) {
  const uint64_t ticket = core_.next_ticket++;
  auto closing = std::make_unique<Closing>();
  closing->stream = closable.stream;
  closing->handle = closable.handle;
  closing->next_seq = closable.next_seq;
  closing->durable_seq = closable.durable_seq;
  handles_.Begin(ticket, std::move(closing));
  core_.directory.Delete(
      std::move(closable.key), {closable.epoch, std::nullopt},
      [this, ticket](session::Outcome<std::monostate> outcome) {
        core_.mailbox.Post([this, ticket, outcome = std::move(outcome)] { OnDeleted(ticket, outcome); });
      });
}

// A session gone already counts as deleted.
void Departures::OnDeleted(uint64_t ticket, const session::Outcome<std::monostate>& outcome) {
  const std::unique_ptr<Closing> closing = handles_.TakeClosing(ticket);
  if (closing->stream == nullptr) return;
  session::Peer& peer = closing->stream->peer;
  if (outcome.refusal && !absl::IsNotFound(outcome.refusal->status)) {
    peer.OnCloseRefused(closing->handle, *outcome.refusal);
  } else {
    peer.OnClosed(closing->handle, closing->next_seq, closing->durable_seq);
  }
  peer.OnRoom();
}

void Departures::Evict(const std::string& key, registrar::SessionOwner::Evicted done) {
  session::Session* session = steps_.FindSettled(key);
  if (session == nullptr) return done({.gone = true, .outcome = {}});
  if (!residents_.saver().enabled() || session->durability == session::SessionDurability::kNone) {
    return done({.gone = false, .outcome = {session::NothingIsSaved(), {}}});
  }
  if (session->stream != nullptr) {
    TakeAway(*session, session::EvictedByRequest(session::SessionId(key)), session->point.seq);
  }
  evictions_.push_back({key, core_.now_ms() + kEvictionMs, std::move(done)});
}

// A detached session is saved soon, and afterwards rests. The eviction of a gone session ends at once.
void Departures::EndEvictions() {
  for (size_t i = 0; i < evictions_.size();) {
    session::Session* session = residents_.Find(evictions_[i].key);
    const bool rests = session != nullptr && session->list == session::Session::List::kResting;
    if (session != nullptr && !rests && core_.now_ms() < evictions_[i].deadline_ms) {
      ++i;
      continue;
    }
    Eviction eviction = std::move(evictions_[i]);
    evictions_.erase(evictions_.begin() + static_cast<ptrdiff_t>(i));
    EndEviction(std::move(eviction), session, rests);
  }
}

void Departures::EndEviction(Eviction eviction, session::Session* session, bool rests) {
  registrar::OwnerReply<std::monostate> reply{.gone = session == nullptr, .outcome = {}};
  if (rests) {
    LetGo(*session);
  } else if (session != nullptr) {
    reply.outcome.refusal = session::NotEvicted(session::SessionId(eviction.key));
  }
  eviction.done(std::move(reply));
}

}  // namespace aaren::shard
