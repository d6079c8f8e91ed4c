#include "server/sessions/shard/shard.h"

#include <utility>

#include "server/sessions/session/refusal.h"

namespace aaren::shard {

SessionShard::SessionShard(int index, ShardOptions options, const models::ModelTable& models,
                           registrar::Directory& directory, const session::Clock& clock)
    : core_(index, std::move(options), models, directory, clock),
      residents_(core_),
      steps_(core_, residents_, *this),
      handles_(core_, steps_.queue()),
      departures_(core_, residents_, steps_, handles_),
      saved_(residents_, steps_, departures_),
      saves_({saved_, residents_.saver(), steps_.queue(), core_.counters, clock}, core_.options.max_undurable_tokens,
             [this](std::vector<store::SaveWrite> saves) { core_.directory.Save(core_.index, std::move(saves)); }),
      intake_(core_, residents_, steps_, departures_),
      tiers_(core_, residents_, handles_, departures_, intake_),
      opens_({core_, residents_, steps_, handles_, departures_, intake_, tiers_}),
      aside_(core_, residents_, steps_, handles_, intake_, tiers_),
      expiry_(core_, residents_, steps_, departures_, tiers_),
      answers_({core_, residents_, steps_, saves_, departures_, opens_, tiers_}) {}

bool SessionShard::IsClosing(session::Peer& peer, session::Handle handle) {
  session::Binding* binding = handles_.Of(peer).handles.Find(handle);
  return binding != nullptr && shard::IsClosing(*binding);
}

void SessionShard::Open(session::Peer& peer, session::Handle handle, session::OpenRequest request) {
  opens_.Begin(peer, handle, std::move(request));
}

// A refused handle's tokens are dropped silently.
bool SessionShard::Tokens(session::Peer& peer, const session::TokensView& tokens) {
  session::Binding* binding = handles_.Of(peer).handles.Find(tokens.handle);
  if (binding == nullptr) {
    intake_.RefuseUnknown(peer, tokens);
    return true;
  }
  if (shard::IsClosing(*binding)) return false;
  bool waits = false;
  VisitBinding(*binding,
               Visitor{[&](session::Session& session) {
                         waits = saves_.MustWait(session);
                         if (!waits) intake_.Accept(session, tokens);
                       },
                       [&](Opening& opening) { intake_.Defer(opening, tokens, opening.call->request.channels); },
                       [&](Promotion& promotion) {
                         intake_.Defer(promotion, tokens, tiers_.values_per_token(*promotion.demoted));
                       },
                       [&](Demoted& demoted) { tiers_.Accept(demoted, tokens); },
                       [&](session::Binding&) { core_.counters.tokens_dropped.Add(tokens.count(1)); }});
  return !waits;
}

// A session still on the way cannot be closed: the Close waits with the tokens.
void SessionShard::Close(session::Peer& peer, session::Handle handle, bool delete_session,
                         std::optional<uint64_t> delivered_seq) {
  queue::Attachment& stream = handles_.Of(peer);
  session::Binding* binding = stream.handles.Find(handle);
  if (binding == nullptr) return handles_.CloseUnused(stream, handle);
  if (shard::IsClosing(*binding)) return peer.OnCloseRefused(handle, session::HandleNotFound(handle));
  const DeferredClose close = {delete_session, delivered_seq};
  VisitBinding(*binding, Visitor{[&](session::Session& session) { intake_.Close(session, close); },
                                 [&](Arrival& arrival) { arrival.close = close; },
                                 [&](Demoted& demoted) { tiers_.Close(demoted, close); },
                                 [&](session::Binding&) { handles_.CloseUnused(stream, handle); }});
}

void SessionShard::Disconnect(session::Peer& peer) {
  const std::unique_ptr<queue::Attachment> stream = handles_.Take(peer);
  if (stream == nullptr) return;
  stream->handles.ForEach([this](session::Binding& binding) {
    VisitBinding(binding, Visitor{[this](session::Session& session) { departures_.Detach(session); },
                                  [this](Opening& opening) { opens_.Abandon(opening); },
                                  [this](Promotion& promotion) { tiers_.Abandon(promotion); },
                                  [this](Demoted& demoted) { tiers_.Abandon(demoted); },
                                  [](Closing& closing) { closing.stream = nullptr; }, [](session::Binding&) {}});
  });
  handles_.Forget(*stream);
}

bool SessionShard::DrainMailbox(size_t at_most) {
  const bool any = core_.mailbox.Drain(at_most);
  if (any) UpdateLevels();
  return any;
}

bool SessionShard::DrainMailboxFor(absl::Duration at_most) {
  const bool any = core_.mailbox.DrainFor(at_most, core_.clock);
  if (any) UpdateLevels();
  return any;
}

// A batch of urgent saves follows the last batch at once: sessions stepped meanwhile share the batch.
size_t SessionShard::Step() {
  const size_t done = steps_.Run();
  if (done > 0) {
    core_.counters.queued_tokens.Set(steps_.queue().tokens() + intake_.deferred_tokens());
    core_.counters.queued_bytes.Set(steps_.queue().room().bytes());
  }
  if (residents_.saver().urgent()) saves_.Start();
  return done;
}

void SessionShard::OnClose(session::Session& session, bool delete_session) {
  departures_.FinishClose(session, delete_session);
}

void SessionShard::OnFailed(session::Session& session, const absl::Status& status) {
  departures_.Lose(session, status);
}

void SessionShard::OnStepEnded() { saves_.OnStepEnded(); }

void SessionShard::Tick() {
  tiers_.Tick();
  saves_.Start();
  expiry_.Tick();
  TellOverdue();
  UpdateLevels();
}

// A waiting event, or a reply on its way, comes before the news of a missing event.
void SessionShard::TellOverdue() {
  residents_.overdue().Tell(core_.now_ms(), [](const MissingEvent& missing) {
    session::Peer& peer = missing.stream->peer;
    session::Binding* binding = missing.stream->handles.Find(missing.handle);
    const bool rests =
        binding != nullptr &&
        VisitBinding(*binding, Visitor{[](session::Session& session) { return !session.flow; },
                                       [](Demoted&) { return true; }, [](session::Binding&) { return false; }});
    if (!rests || !peer.HasRoom()) return false;
    peer.OnOverdue(missing.handle, missing.reply);
    return true;
  });
}

bool SessionShard::TokensWait() const {
  const queue::TokenQueue& queue = steps_.queue();
  return queue.tokens() > 0 || queue.replies().bytes() > 0 || !tiers_.promotions().empty();
}

bool SessionShard::Busy() const {
  return steps_.under_way() || handles_.busy() || tiers_.promotions().started() > 0 || residents_.saver().busy();
}

void SessionShard::UpdateLevels() {
  residents_.UpdateLevels();
  ShardCounters& counters = core_.counters;
  counters.queued_tokens.Set(steps_.queue().tokens() + intake_.deferred_tokens());
  counters.queued_bytes.Set(steps_.queue().room().bytes());
  counters.held_bytes.Set(steps_.queue().replies().bytes());
  counters.streams.Set(handles_.streams());
}

}  // namespace aaren::shard
