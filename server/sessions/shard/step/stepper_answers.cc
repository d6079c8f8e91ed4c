// The Stepper's answers: a step's results become replies.

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/sessions/shard/step/stepper.h"

namespace aaren::shard {

// Answers Closes and refusals in their place between the session's tokens. A Close may end the session: the function
// does not touch the session afterwards.
void Stepper::Answer(const StepCall& call, const StepPart& part, OnItem on_item) {
  session::Session& session = *part.session;
  Cursor cursor;
  for (;;) {
    if (session.flow->items.front().kind != queue::WaitingItem::Kind::kTokens) {
      on_item(session);
      if (session.flow == nullptr || session.flow->items.empty()) return;
    }
    if (cursor.token == part.tokens) return;
    const queue::WaitingItem& item = session.flow->items.front();
    const uint32_t first = session.flow->taken;
    const uint32_t tokens = std::min(item.tokens - first, part.tokens - cursor.token);
    AnswerTokens(call, part, item, {first, tokens}, cursor);
    with_.queue.TakeTokens(*session.flow, tokens);
    if (session.flow->items.empty()) return;
  }
}

void Stepper::AnswerTokens(const StepCall& call, const StepPart& part, const queue::WaitingItem& item, Piece piece,
                           Cursor& cursor) {
  session::Session& session = *part.session;
  const uint32_t tokens = piece.tokens;
  const uint64_t first_seq = session.point.seq;
  const bool held = session.SavesEveryToken();
  if (!held) times_.Count(item.arrival_ns, tokens, with_.counters);
  if (item.trace != 0) NoteStep(call, session, item.trace, tokens);
  if (with_.watched != nullptr && with_.watched->Watches(session.key.view())) NoteTokens(part, item, piece, cursor);
  const size_t results = CollectResults(part, item, piece, cursor);
  AdvanceSeq(session, tokens);
  (item.silent ? outcomes_.silent : outcomes_.folded) += tokens - results;
  outcomes_.forecast += results;
  held ? HoldBack(session, first_seq, results, item) : Reply(session, first_seq, results);
}

// Notes the step of a traced message.
void Stepper::NoteStep(const StepCall& call, const session::Session& session, trace::Mark trace, uint32_t tokens) {
  trace::Tracer& tracer = *with_.queue.tracer();
  tracer.Stepped(trace, {times_.began_ns, times_.stepped_ns, call.tokens, tokens, call.model->id});
  if (saving_ && session.durability != session::SessionDurability::kNone) tracer.FollowSave(trace, session.key.view());
}

// Notes the numbers of a watched session.
void Stepper::NoteTokens(const StepPart& part, const queue::WaitingItem& item, Piece piece, Cursor cursor) {
  sightings_.clear();
  const session::Session& session = *part.session;
  const size_t inputs = session.inputs();
  const uint32_t channels = std::min(session.channels, watch::WatchedSessions::kMostChannels);
  for (uint32_t t = 0; t < piece.tokens; ++t, ++cursor.token) {
    const bool computed = buffers_.flags()[part.flags + cursor.token] != 0;
    for (uint32_t channel = 0; channel < channels; ++channel) {
      watch::Sighting& sighting = sightings_.emplace_back();
      sighting.seq = session.point.seq + t;
      sighting.channel = channel;
      const size_t place = (piece.first + t) * session.channels + channel;
      sighting.value = session.model->conversion->InputValue(item.inputs() + place * inputs);
      if (!computed) continue;
      if (session.plan->surprise) {
        sighting.surprise = buffers_.surprises()[part.surprises + channel * part.tokens + cursor.token];
      }
      sighting.next = session.model->conversion->NextValue(
          &buffers_.forecasts()[part.forecasts + (channel * part.wanted + cursor.computed) * part.floats]);
    }
    cursor.computed += computed;
  }
  with_.watched->Note(session.key.view(), sightings_);
}

void Stepper::AdvanceSeq(session::Session& session, uint32_t tokens) {
  session.point.seq += tokens;
  if (!saving_) session.durable_seq = session.point.seq;  // without saves no older token is needed again
}

void Stepper::AdvanceClock(session::Session& session, const queue::WaitingItem& item, uint32_t token, uint64_t seq) {
  if (session.regular_times) {
    session.point.clock = {session.regular_start_ns + static_cast<int64_t>(seq) * session.regular_step_ns,
                           session.regular_step_ns};
  } else if (item.timed) {
    session.point.clock.Advance(item.times()[token]);
  }
}

// The rows have folded the tokens, though no client hears. So seq and clock go on: the next save has to name the tokens
// in the rows.
void Stepper::Abandon(session::Session& session) {
  queue::Flow& flow = *session.flow;
  for (uint32_t left = flow.grant.tokens; left > 0;) {
    const queue::WaitingItem& item = flow.items.front();
    if (item.kind == queue::WaitingItem::Kind::kRefusal) {
      (void)with_.queue.PopRefusal(flow);
    } else if (item.kind != queue::WaitingItem::Kind::kTokens) {
      with_.queue.PopFront(flow);
    } else {
      const uint32_t tokens = std::min(item.tokens - flow.taken, left);
      for (uint32_t t = 0; t < tokens; ++t) AdvanceClock(session, item, flow.taken + t, session.point.seq + t);
      AdvanceSeq(session, tokens);
      (item.silent ? with_.counters.tokens_silent : with_.counters.tokens_folded).Add(tokens);
      with_.queue.TakeTokens(flow, tokens);
      left -= tokens;
    }
  }
}

void Stepper::Reply(session::Session& session, uint64_t first_seq, size_t results) {
  session::Peer& peer = session.stream->peer;
  if (results == 0) return peer.OnAcked(session.handle, session.point.seq, session.told_durable_seq());
  session::ForecastsReply reply;
  reply.first_seq = first_seq;
  reply.next_seq = session.point.seq;
  reply.durable_seq = session.told_durable_seq();
  reply.results = results;
  reply.channels = session.channels;
  reply.forecasts = reply_.forecasts;
  reply.surprises = reply_.surprises;
  reply.times_ns = reply_.times_ns;
  reply.steps_ns = reply_.steps_ns;
  reply.plan = session.plan;
  reply.model = session.model;
  peer.OnForecasts(session.handle, reply);
}

// Adds the results of CollectResults to the session's held reply.
void Stepper::HoldBack(session::Session& session, uint64_t first_seq, size_t results, const queue::WaitingItem& item) {
  const auto seconds = static_cast<double>(times_.began_ns - item.arrival_ns) * 1e-9;
  with_.counters.queue_seconds.Observe(seconds, session.point.seq - first_seq);
  queue::HeldReply& reply = with_.queue.replies().Hold(session);
  const size_t before = reply.bytes();
  if (reply.next_seq == 0) reply.first_seq = first_seq;
  reply.next_seq = session.point.seq;
  reply.arrival_ns = item.arrival_ns;
  if (item.trace != 0) reply.traces.emplace_back(*with_.queue.tracer(), item.trace);
  reply.stepped_ns = times_.stepped_ns;
  reply.results += results;
  const size_t floats = session.result_floats();
  for (const float* forecast : reply_.forecasts) {
    reply.forecasts.insert(reply.forecasts.end(), forecast, forecast + floats);
  }
  const auto append = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  append(reply_.surprises, reply.surprises);
  append(reply_.times_ns, reply.times_ns);
  append(reply_.steps_ns, reply.steps_ns);
  with_.queue.replies().Grown(session, reply.bytes() - before);
}

// Fills the reply with the results of the tokens. Moves the cursor behind the tokens, and the session's clock on.
// Returns the number of results.
size_t Stepper::CollectResults(const StepPart& part, const queue::WaitingItem& item, Piece piece, Cursor& cursor) {
  reply_.Clear();
  session::Session& session = *part.session;
  models::ModelCounters& counted = with_.rows.counters(*session.model);
  counted.tokens.Add(piece.tokens);
  size_t results = 0;
  for (uint32_t t = 0; t < piece.tokens; ++t, ++cursor.token) {
    const uint64_t seq = session.point.seq + t;
    AdvanceClock(session, item, piece.first + t, seq);
    if (!buffers_.flags()[part.flags + cursor.token]) continue;
    const uint32_t computed = cursor.computed++;
    if (!session.plan->Sends(seq)) continue;
    ++results;
    for (uint32_t channel = 0; channel < session.channels; ++channel) {
      const float* result = &buffers_.forecasts()[part.forecasts + (channel * part.wanted + computed) * part.floats];
      reply_.forecasts.push_back(result);
      if (!session.plan->surprise) continue;
      const float surprise = buffers_.surprises()[part.surprises + channel * part.tokens + cursor.token];
      reply_.surprises.push_back(surprise);
      const bool counts = !std::isnan(surprise) && !session.model->conversion->TailOf(result).learning;
      if (counts) counted.surprises.Observe(surprise);
    }
    if (!session.regular_times && !item.timed) continue;
    reply_.times_ns.push_back(session.point.clock.last_time_ns);
    reply_.steps_ns.push_back(session.point.clock.step_ns);
  }
  return results;
}

}  // namespace aaren::shard
