#include "server/shard/stepper.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace aaren::shard {
namespace {

// Large enough to keep every core's units busy, small enough that outputs stay in the cache until they are sent.
constexpr uint32_t kStepTokens = 4096;
constexpr uint32_t kStepForecasts = 1024;

bool Sent(const task::OutputPlan& plan, uint64_t seq) { return plan.every == 1 || seq % plan.every == 0; }

// A surprise compares a value with the forecast one token earlier, so that one is computed though nobody gets it.
bool Computed(const task::OutputPlan& plan, uint64_t seq) {
  return Sent(plan, seq) || (plan.surprise && (seq + 1) % plan.every == 0);
}

// What it held is lost, if it is too small.
void Enlarge(std::unique_ptr<float[]>& buffer, size_t& size, size_t wanted) {
  if (wanted <= size) return;
  buffer = std::make_unique_for_overwrite<float[]>(wanted);
  size = wanted;
}

}  // namespace

Stepper::Stepper(session::RowPool& rows, queue::TokenQueue& queue, ShardCounters& counters, const session::Clock& clock,
                 uint32_t max_channels, bool saving, watch::WatchedSessions* watched)
    : rows_(rows),
      queue_(queue),
      counters_(counters),
      clock_(clock),
      saving_(saving),
      watched_(watched),
      max_tokens_(std::max(kStepTokens, max_channels)),
      max_forecasts_(std::max(kStepForecasts, max_channels)) {}

Stepper::~Stepper() { Wait(); }

void Stepper::Begin(absl::Span<queue::Flow* const> flows) {
  began_ns_ = clock_.NowNanos();
  Gather(flows);
  EnsureBuffers();
  for (session::Session* session : sessions_) {
    if (calls_.empty() || calls_.back().model != session->model) {
      Call& call = calls_.emplace_back();
      call.model = session->model;
      call.floats = session->model->engine->result_floats();
      call.first_part = parts_.size();
      call.first_run = runs_.size();
    }
    LayOut(*session);
  }
  for (size_t call = 0; call < calls_.size(); ++call) Submit(call);
}

// The step's sessions, those of one model side by side.
void Stepper::Gather(absl::Span<queue::Flow* const> flows) {
  granted_tokens_ = 0;
  bool mixed = false;
  for (const queue::Flow* flow : flows) {
    flow->session->under_way = true;
    sessions_.push_back(flow->session);
    granted_tokens_ += flow->granted;
    mixed |= flow->session->model != sessions_.front()->model;
  }
  // The sort is stable: sessions keep the order in which their streams took turns.
  if (!mixed) return;
  std::stable_sort(sessions_.begin(), sessions_.end(), [](const session::Session* a, const session::Session* b) {
    return a->model->index < b->model->index;
  });
}

// Makes what is granted of the session the next part of the last call.
void Stepper::LayOut(session::Session& session) {
  const queue::Flow& flow = *session.flow;
  Part& part = parts_.emplace_back();
  part.session = &session;
  part.tokens = flow.granted;
  part.inputs = inputs_used_;
  part.surprises = surprises_used_;
  part.flags = flags_used_;
  part.forecasts = forecasts_used_;
  Call& call = calls_.back();
  uint32_t at = 0;
  uint32_t skip = flow.taken;
  for (size_t i = 0; at < part.tokens; ++i) {
    const queue::WaitingItem& item = flow.items[i];
    if (item.kind != queue::WaitingItem::Kind::kTokens) continue;
    const uint32_t tokens = std::min(item.tokens - skip, part.tokens - at);
    LayOutItem(part, item, {skip, tokens}, at);
    at += tokens;
    skip = 0;
  }
  if (part.tokens == 0) return;
  const absl::Span<const uint8_t> flags(&flags_[part.flags], part.tokens);
  const absl::Span<const engine::Slot> slots = session.rows.slots(session.channels);
  const size_t inputs = part.tokens * session.model->conversion->inputs();  // of a channel
  for (uint32_t channel = 0; channel < session.channels; ++channel) {
    runs_.push_back({slots[channel], absl::MakeConstSpan(&inputs_[part.inputs + channel * inputs], inputs), flags,
                     &forecasts_[part.forecasts + channel * part.wanted * call.floats],
                     session.plan->surprise ? &surprises_[part.surprises + channel * part.tokens] : nullptr,
                     session.plan->refinement});
  }
  call.tokens += part.tokens * session.channels;
  inputs_used_ += inputs * session.channels;
  surprises_used_ += size_t{part.tokens} * session.channels;
  flags_used_ += part.tokens;
  forecasts_used_ += size_t{part.wanted} * session.channels * call.floats;
}

// These of its tokens become tokens `at`, `at` + 1, ... of the part.
void Stepper::LayOutItem(Part& part, const queue::WaitingItem& item, Piece piece, uint32_t at) {
  const uint32_t tokens = piece.tokens;
  const uint32_t channels = part.session->channels;
  const uint64_t seq = part.session->point.seq + at;
  const size_t inputs = part.session->model->conversion->inputs();
  const float* from = item.inputs() + piece.first * channels * inputs;
  float* to = &inputs_[part.inputs + at * inputs];
  // A token has its channels side by side; the engine wants a run a channel. Of one channel these are the same.
  if (channels == 1) std::copy_n(from, tokens * inputs, to);
  for (size_t channel = 0; channels > 1 && channel < channels; ++channel) {
    for (size_t t = 0; t < tokens; ++t) {
      for (size_t i = 0; i < inputs; ++i) {
        to[(channel * part.tokens + t) * inputs + i] = from[(t * channels + channel) * inputs + i];
      }
    }
  }
  // Which tokens fold depends on seq alone, and is the engine's business: here is only who wants a forecast.
  uint8_t* flags = &flags_[part.flags + at];
  const task::OutputPlan& plan = *part.session->plan;
  if (item.silent) {
    std::memset(flags, 0, tokens);
  } else if (plan.every == 1) {
    std::memset(flags, 1, tokens);
    part.wanted += tokens;
  } else {
    for (uint32_t t = 0; t < tokens; ++t) part.wanted += flags[t] = Computed(plan, seq + t);
  }
}

// A call is of one model: a lane has rows of its own engine only.
void Stepper::Submit(size_t index) {
  Call& call = calls_[index];
  const size_t end = index + 1 < calls_.size() ? calls_[index + 1].first_run : runs_.size();
  if (end == call.first_run) return;
  counters_.batch_tokens.Observe(call.tokens);
  const absl::StatusOr<engine::Ticket> ticket =
      rows_.lane(*call.model).Submit(absl::MakeConstSpan(runs_).subspan(call.first_run, end - call.first_run));
  if (ticket.ok()) {
    call.ticket = *ticket;
  } else {
    call.status = ticket.status();
  }
}

bool Stepper::Poll() {
  bool done = true;
  for (Call& call : calls_) {
    if (!call.ticket) continue;
    std::optional<absl::Status> status = rows_.lane(*call.model).Poll(*call.ticket);
    done &= status.has_value();
    if (!status) continue;
    call.status = *std::move(status);
    call.ticket.reset();
  }
  return done;
}

void Stepper::Wait() {
  for (Call& call : calls_) {
    if (!call.ticket) continue;
    call.status = rows_.lane(*call.model).Wait(*call.ticket);
    call.ticket.reset();
  }
}

size_t Stepper::Finish(OnItem on_item) {
  stepped_ns_ = clock_.NowNanos();
  outcomes_ = {};
  failed_.clear();
  finished_.clear();
  for (size_t call = 0; call < calls_.size(); ++call) FinishCall(call, on_item);
  CountTimes(0, 0);
  counters_.tokens_forecast.Add(outcomes_.forecast);
  counters_.tokens_folded.Add(outcomes_.folded);
  counters_.tokens_silent.Add(outcomes_.silent);
  std::swap(sessions_, finished_);
  calls_.clear();
  parts_.clear();
  runs_.clear();
  inputs_used_ = surprises_used_ = flags_used_ = forecasts_used_ = 0;
  return granted_tokens_;
}

void Stepper::FinishCall(size_t index, OnItem on_item) {
  const Call& call = calls_[index];
  const size_t end = index + 1 < calls_.size() ? calls_[index + 1].first_part : parts_.size();
  for (size_t i = call.first_part; i < end; ++i) {
    const Part& part = parts_[i];
    part.session->under_way = false;
    if (!call.status.ok() && part.tokens > 0) {
      failed_.emplace_back(part.session, call.status);
    } else if (part.session->stream != nullptr) {
      Answer(call, part, on_item);
    }
  }
}

// Made for the largest model so far, and untouched until used: a server with small models never pays for pages.
void Stepper::EnsureBuffers() {
  if (!surprises_) {
    surprises_ = std::make_unique_for_overwrite<float[]>(max_tokens_);
    flags_ = std::make_unique_for_overwrite<uint8_t[]>(max_tokens_);
  }
  size_t inputs = 0, forecasts = 0;
  const models::LoadedModel* model = nullptr;
  for (const session::Session* session : sessions_) {
    if (session->model == model) continue;
    model = session->model;
    inputs = std::max(inputs, model->conversion->inputs() * max_tokens_);
    forecasts = std::max(forecasts, model->engine->result_floats() * max_forecasts_);
  }
  Enlarge(inputs_, input_floats_, inputs);
  Enlarge(forecasts_, forecast_floats_, forecasts);
}

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
  for (uint32_t left = flow.granted; left > 0;) {
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
  queue::HeldReply& reply = queue_.Hold(session);
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
  queue_.Grown(session, reply.bytes() - before);
}

void Stepper::Release(session::Session& session) {
  const std::unique_ptr<queue::HeldReply> reply = queue_.TakeReply(session);
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
    if (!Sent(*session.plan, seq)) continue;
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
