// The Stepper's answers: what becomes of a step's results.

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/shard/stepper.h"

namespace aaren::shard {

// Closes and refusals between a session's tokens are answered in their place, so they wait for the tokens before them.
// A Close may end the session: nothing of it is touched afterwards.
void Stepper::Answer(const Call& call, const Part& part, OnItem on_item) {
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
    queue_.TakeTokens(*session.flow, tokens);
    if (session.flow->items.empty()) return;
  }
}

void Stepper::AnswerTokens(const Call& call, const Part& part, const queue::WaitingItem& item, Piece piece,
                           Cursor& cursor) {
  session::Session& session = *part.session;
  const uint32_t tokens = piece.tokens;
  const uint64_t first_seq = session.point.seq;
  const bool held = session.SavesEveryToken();
  if (!held) CountTimes(item.arrival_ns, tokens);
  if (item.trace != 0) NoteStep(call, session, item.trace, tokens);
  if (watched_ != nullptr && watched_->Watches(session.key.view())) NoteTokens(call, part, item, piece, cursor);
  const size_t results = CollectResults(call, part, item, piece, cursor);
  AdvanceSeq(session, tokens);
  (item.silent ? outcomes_.silent : outcomes_.folded) += tokens - results;
  outcomes_.forecast += results;
  held ? HoldBack(session, first_seq, results, item) : Reply(session, first_seq, results);
}

// Of a message that is traced.
void Stepper::NoteStep(const Call& call, const session::Session& session, trace::Mark trace, uint32_t tokens) {
  trace::Tracer& tracer = *queue_.tracer();
  tracer.Stepped(trace, {began_ns_, stepped_ns_, call.tokens, tokens, call.model->id});
  if (saving_ && session.durability != session::SessionDurability::kNone) tracer.FollowSave(trace, session.key.view());
}

// Of a session that somebody may look at.
void Stepper::NoteTokens(const Call& call, const Part& part, const queue::WaitingItem& item, Piece piece,
                         Cursor cursor) {
  sightings_.clear();
  const session::Session& session = *part.session;
  const size_t inputs = session.model->conversion->inputs();
  const uint32_t channels = std::min(session.channels, watch::WatchedSessions::kMostChannels);
  for (uint32_t t = 0; t < piece.tokens; ++t, ++cursor.token) {
    const bool computed = flags_[part.flags + cursor.token] != 0;
    for (uint32_t channel = 0; channel < channels; ++channel) {
      watch::Sighting& sighting = sightings_.emplace_back();
      sighting.seq = session.point.seq + t;
      sighting.channel = channel;
      sighting.value = item.inputs()[((piece.first + t) * session.channels + channel) * inputs];
      if (!computed) continue;
      if (session.plan->surprise) {
        sighting.surprise = surprises_[part.surprises + channel * part.tokens + cursor.token];
      }
      sighting.next = session.model->conversion->NextValue(
          &forecasts_[part.forecasts + (channel * part.wanted + cursor.computed) * call.floats]);
    }
    cursor.computed += computed;
  }
  watched_->Note(session.key.view(), sightings_);
}

void Stepper::AdvanceSeq(session::Session& session, uint32_t tokens) {
  session.point.seq += tokens;
  if (!saving_) session.durable_seq = session.point.seq;  // no save will ever want older tokens again
}

void Stepper::AdvanceClock(session::Session& session, const queue::WaitingItem& item, uint32_t token, uint64_t seq) {
  if (session.regular_times) {
    session.point.clock = {session.regular_start_ns + static_cast<int64_t>(seq) * session.regular_step_ns,
                           session.regular_step_ns};
  } else if (item.timed) {
    session.point.clock.Advance(item.times()[token]);
  }
}

// The rows have folded these tokens, though nobody hears of it. So seq and clock go on with them: a save that is taken
// next has to say what its rows have seen.
void Stepper::Abandon(session::Session& session) {
  queue::Flow& flow = *session.flow;
  for (uint32_t left = flow.grant.tokens; left > 0;) {
    const queue::WaitingItem& item = flow.items.front();
    if (item.kind == queue::WaitingItem::Kind::kRefusal) {
      (void)queue_.PopRefusal(flow);
    } else if (item.kind != queue::WaitingItem::Kind::kTokens) {
      queue_.PopFront(flow);
    } else {
      const uint32_t tokens = std::min(item.tokens - flow.taken, left);
      for (uint32_t t = 0; t < tokens; ++t) AdvanceClock(session, item, flow.taken + t, session.point.seq + t);
      AdvanceSeq(session, tokens);
      (item.silent ? counters_.tokens_silent : counters_.tokens_folded).Add(tokens);
      queue_.TakeTokens(flow, tokens);
      left -= tokens;
    }
  }
}

// Tokens of one drain arrived together: they are counted at once.
void Stepper::CountTimes(int64_t arrival_ns, uint32_t tokens) {
  if (arrival_ns != timed_arrival_ns_ && timed_tokens_ > 0) {
    const auto seconds = [this](int64_t until) { return static_cast<double>(until - timed_arrival_ns_) * 1e-9; };
    counters_.queue_seconds.Observe(seconds(began_ns_), timed_tokens_);
    counters_.token_seconds.Observe(seconds(stepped_ns_), timed_tokens_);
    timed_tokens_ = 0;
  }
  timed_arrival_ns_ = arrival_ns;
  timed_tokens_ += tokens;
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
  reply.forecasts = result_forecasts_;
  reply.surprises = result_surprises_;
  reply.times_ns = result_times_;
  reply.steps_ns = result_steps_;
  reply.plan = session.plan;
  reply.model = session.model;
  peer.OnForecasts(session.handle, reply);
}

// Adds what CollectResults has found to the session's held reply.
void Stepper::HoldBack(session::Session& session, uint64_t first_seq, size_t results, const queue::WaitingItem& item) {
  const auto seconds = static_cast<double>(began_ns_ - item.arrival_ns) * 1e-9;
  counters_.queue_seconds.Observe(seconds, session.point.seq - first_seq);
  queue::HeldReply& reply = queue_.replies().Hold(session);
  const size_t before = reply.bytes();
  if (reply.next_seq == 0) reply.first_seq = first_seq;
  reply.next_seq = session.point.seq;
  reply.arrival_ns = item.arrival_ns;
  if (item.trace != 0) reply.traces.emplace_back(*queue_.tracer(), item.trace);
  reply.stepped_ns = stepped_ns_;
  reply.results += results;
  const size_t floats = session.model->engine->result_floats();
  for (const float* forecast : result_forecasts_) {
    reply.forecasts.insert(reply.forecasts.end(), forecast, forecast + floats);
  }
  const auto append = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  append(result_surprises_, reply.surprises);
  append(result_times_, reply.times_ns);
  append(result_steps_, reply.steps_ns);
  queue_.replies().Grown(session, reply.bytes() - before);
}

void Stepper::Release(session::Session& session) {
  const std::unique_ptr<queue::HeldReply> reply = queue_.replies().Take(session);
  if (reply == nullptr) return;
  const uint64_t tokens = reply->next_seq - reply->first_seq;
  const int64_t now = clock_.NowNanos();
  counters_.token_seconds.Observe(static_cast<double>(now - reply->arrival_ns) * 1e-9, tokens);
  counters_.save_seconds.Observe(static_cast<double>(now - reply->stepped_ns) * 1e-9, tokens);
  const size_t forecasts = reply->results * session.channels;
  result_forecasts_.clear();
  for (size_t i = 0; i < forecasts; ++i) {
    result_forecasts_.push_back(&reply->forecasts[i * (reply->forecasts.size() / forecasts)]);
  }
  result_surprises_ = reply->surprises;
  result_times_ = reply->times_ns;
  result_steps_ = reply->steps_ns;
  Reply(session, reply->first_seq, reply->results);
}

// Fills the result buffers with what the tokens send, moves the cursor behind them and the session's clock on.
// Returns the number of results.
size_t Stepper::CollectResults(const Call& call, const Part& part, const queue::WaitingItem& item, Piece piece,
                               Cursor& cursor) {
  result_forecasts_.clear();
  result_surprises_.clear();
  result_times_.clear();
  result_steps_.clear();
  session::Session& session = *part.session;
  models::ModelCounters& counted = rows_.counters(*session.model);
  counted.tokens.Add(piece.tokens);
  size_t results = 0;
  for (uint32_t t = 0; t < piece.tokens; ++t, ++cursor.token) {
    const uint64_t seq = session.point.seq + t;
    AdvanceClock(session, item, piece.first + t, seq);
    if (!flags_[part.flags + cursor.token]) continue;
    const uint32_t computed = cursor.computed++;
    if (!session.plan->Sends(seq)) continue;
    ++results;
    for (uint32_t channel = 0; channel < session.channels; ++channel) {
      result_forecasts_.push_back(&forecasts_[part.forecasts + (channel * part.wanted + computed) * call.floats]);
      if (!session.plan->surprise) continue;
      const float surprise = surprises_[part.surprises + channel * part.tokens + cursor.token];
      result_surprises_.push_back(surprise);
      if (!std::isnan(surprise)) counted.surprises.Observe(surprise);
    }
    if (!session.regular_times && !item.timed) continue;
    result_times_.push_back(session.point.clock.last_time_ns);
    result_steps_.push_back(session.point.clock.step_ns);
  }
  return results;
}

}  // namespace aaren::shard
