#include "server/session/stepper.h"

#include <algorithm>
#include <cstring>

namespace aaren {
namespace {

// Large enough to keep every core's units busy, small enough that outputs stay in the cache until they are sent.
constexpr uint32_t kCallTokens = 4096;
constexpr uint32_t kCallForecasts = 1024;

bool Sent(const OutputPlan& plan, uint64_t seq) { return plan.every == 1 || seq % plan.every == 0; }

// A surprise compares a value with the forecast one token earlier, so that one is computed though nobody gets it.
bool Computed(const OutputPlan& plan, uint64_t seq) {
  return Sent(plan, seq) || (plan.surprise && (seq + 1) % plan.every == 0);
}

size_t ForecastFloats(const LoadedModel& model) {
  const ForecasterConfig& config = model.engine->config();
  return static_cast<size_t>(config.horizon) * config.quantiles.size();
}

}  // namespace

Stepper::Stepper(RowPool& rows, ShardCounters& counters, uint32_t max_channels, bool saving)
    : rows_(rows),
      counters_(counters),
      saving_(saving),
      max_tokens_(std::max(kCallTokens, max_channels)),
      max_forecasts_(std::max(kCallForecasts, max_channels)) {}

void Stepper::Step(const TokenQueue& queue, absl::Span<QueuedItem> items) {
  queue_ = &queue;
  items_ = items;
  outcomes_ = {};
  failed_.clear();
  CountTimes(items, SteadyNanos(), counters_.queue_seconds);
  Link(items);
  for (Session* session : sessions_) Take(*session);
  RunCall();
  for (Session* session : sessions_) session->first_item = session->last_item = Session::kNoItem;
  CountTimes(items, SteadyNanos(), counters_.token_seconds);
  counters_.tokens_forecast.Add(outcomes_.forecast);
  counters_.tokens_folded.Add(outcomes_.folded);
  counters_.tokens_silent.Add(outcomes_.silent);
}

// Chains each session's items and brings the sessions of one model together.
void Stepper::Link(absl::Span<QueuedItem> items) {
  sessions_.clear();
  bool mixed = false;
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].session == nullptr) continue;
    Session& session = *items[i].session;
    items[i].next = Session::kNoItem;
    if (session.first_item == Session::kNoItem) {
      session.first_item = i;
      sessions_.push_back(&session);
      mixed |= session.model != sessions_.front()->model;
    } else {
      items[session.last_item].next = i;
    }
    session.last_item = i;
  }
  if (!mixed) return;
  std::sort(sessions_.begin(), sessions_.end(),
            [](const Session* a, const Session* b) { return a->model->index < b->model->index; });
}

void Stepper::Take(Session& session) {
  if (session.model != model_) {
    RunCall();
    EnsureBuffers(*session.model);
  }
  uint32_t done = 0;
  for (uint32_t item = session.first_item; item != Session::kNoItem;) {
    const uint32_t room = Room(session, items_[item].silent);
    if (room == 0) {
      RunCall();
      if (!failed_.empty() && failed_.back().first == &session) return;
      continue;
    }
    const uint32_t tokens = std::min(items_[item].tokens - done, room);
    pieces_.push_back({item, done, tokens});
    tokens_ += tokens * session.channels;
    if (!items_[item].silent) forecast_room_ += tokens * session.channels;
    done += tokens;
    if (done < items_[item].tokens) continue;
    item = items_[item].next;
    done = 0;
  }
  ClosePart();
}

// How many more tokens of the session this call can take.
uint32_t Stepper::Room(const Session& session, bool silent) const {
  const uint32_t tokens = (max_tokens_ - tokens_) / session.channels;
  return silent ? tokens : std::min(tokens, (max_forecasts_ - forecast_room_) / session.channels);
}

// Makes the pieces gathered since the last part the next one.
void Stepper::ClosePart() {
  if (closed_pieces_ == pieces_.size()) return;
  Part& part = parts_.emplace_back();
  part.session = items_[pieces_.back().item].session;
  part.first_piece = closed_pieces_;
  part.pieces = pieces_.size() - closed_pieces_;
  closed_pieces_ = pieces_.size();
  LayOut(part);
}

void Stepper::LayOut(Part& part) {
  Session& session = *part.session;
  const uint32_t channels = session.channels;
  for (size_t i = 0; i < part.pieces; ++i) part.tokens += pieces_[part.first_piece + i].tokens;
  part.values = values_used_;
  part.flags = flags_used_;
  part.forecasts = forecasts_used_;
  uint32_t token = 0;
  for (size_t i = 0; i < part.pieces; ++i) {
    const Piece& piece = pieces_[part.first_piece + i];
    const float* from = queue_->values(items_[piece.item]) + size_t{piece.first} * channels;
    float* to = &values_[part.values + token];
    for (uint32_t channel = 0; channel < channels; ++channel) {
      for (uint32_t t = 0; t < piece.tokens; ++t) to[channel * part.tokens + t] = from[t * channels + channel];
    }
    FlagTokens(part, piece, token, session.next_seq + token);
    token += piece.tokens;
  }
  const absl::Span<const uint8_t> flags(&flags_[part.flags], part.tokens);
  const size_t floats = ForecastFloats(*session.model);
  for (uint32_t channel = 0; channel < channels; ++channel) {
    const size_t at = part.values + channel * part.tokens;
    runs_.push_back({session.rows.slot(channel), absl::MakeConstSpan(&values_[at], part.tokens), flags,
                     &forecasts_[(part.forecasts + channel * part.wanted) * floats],
                     session.plan->surprise ? &surprises_[at] : nullptr, session.plan->calibrated});
  }
  values_used_ += size_t{part.tokens} * channels;
  flags_used_ += part.tokens;
  forecasts_used_ += size_t{part.wanted} * channels;
}

void Stepper::FlagTokens(Part& part, const Piece& piece, uint32_t token, uint64_t seq) {
  uint8_t* flags = &flags_[part.flags + token];
  const OutputPlan& plan = *part.session->plan;
  if (items_[piece.item].silent) {
    std::memset(flags, 0, piece.tokens);
  } else if (plan.every == 1) {
    std::memset(flags, 1, piece.tokens);
    part.wanted += piece.tokens;
  } else {
    for (uint32_t t = 0; t < piece.tokens; ++t) part.wanted += flags[t] = Computed(plan, seq + t);
  }
}

void Stepper::RunCall() {
  ClosePart();
  if (!parts_.empty()) {
    const absl::Status status = model_->engine->Step(runs_, rows_.slab(*model_), rows_.workspace(*model_));
    counters_.batch_tokens.Observe(tokens_);
    for (const Part& part : parts_) {
      if (status.ok()) {
        Answer(part);
      } else {
        failed_.emplace_back(part.session, status);
      }
    }
  }
  pieces_.clear();
  parts_.clear();
  runs_.clear();
  closed_pieces_ = 0;
  tokens_ = forecast_room_ = 0;
  values_used_ = flags_used_ = forecasts_used_ = 0;
}

void Stepper::EnsureBuffers(const LoadedModel& model) {
  model_ = &model;
  if (!values_) {
    values_ = std::make_unique_for_overwrite<float[]>(max_tokens_);
    surprises_ = std::make_unique_for_overwrite<float[]>(max_tokens_);
    flags_ = std::make_unique_for_overwrite<uint8_t[]>(max_tokens_);
  }
  const size_t floats = ForecastFloats(model) * max_forecasts_;
  if (floats <= forecast_floats_) return;
  forecasts_ = std::make_unique_for_overwrite<float[]>(floats);
  forecast_floats_ = floats;
}

void Stepper::Answer(const Part& part) {
  Cursor cursor;
  for (size_t i = 0; i < part.pieces; ++i) AnswerPiece(part, pieces_[part.first_piece + i], cursor);
}

void Stepper::AnswerPiece(const Part& part, const Piece& piece, Cursor& cursor) {
  Session& session = *part.session;
  const QueuedItem& item = items_[piece.item];
  const uint64_t first_seq = session.next_seq;
  const size_t results = CollectResults(part, piece, cursor);
  session.next_seq += piece.tokens;
  session.queued -= piece.tokens;
  if (!saving_) session.durable_seq = session.next_seq;
  (item.silent ? outcomes_.silent : outcomes_.folded) += piece.tokens - results;
  outcomes_.forecast += results;
  if (session.peer == nullptr) return;
  if (results == 0) {
    session.peer->OnAcked(session.handle, session.next_seq, session.durable_seq);
    return;
  }
  ForecastsReply reply;
  reply.first_seq = first_seq;
  reply.next_seq = session.next_seq;
  reply.durable_seq = session.durable_seq;
  reply.results = results;
  reply.channels = session.channels;
  reply.forecasts = result_forecasts_;
  reply.surprises = result_surprises_;
  reply.times_ns = result_times_;
  reply.step_ns = item.step_ns;
  reply.plan = session.plan;
  reply.model = session.model;
  session.peer->OnForecasts(session.handle, reply);
}

// Fills the result buffers with what the piece sends, and moves the cursor behind it. Returns the number of results.
size_t Stepper::CollectResults(const Part& part, const Piece& piece, Cursor& cursor) {
  result_forecasts_.clear();
  result_surprises_.clear();
  result_times_.clear();
  const Session& session = *part.session;
  const QueuedItem& item = items_[piece.item];
  const int64_t* times = queue_->times(item);
  const size_t floats = ForecastFloats(*session.model);
  size_t results = 0;
  for (uint32_t t = 0; t < piece.tokens; ++t, ++cursor.token) {
    if (!flags_[part.flags + cursor.token]) continue;
    const uint32_t computed = cursor.computed++;
    const uint64_t seq = session.next_seq + t;
    if (!Sent(*session.plan, seq)) continue;
    ++results;
    for (uint32_t channel = 0; channel < session.channels; ++channel) {
      result_forecasts_.push_back(&forecasts_[(part.forecasts + channel * part.wanted + computed) * floats]);
      if (!session.plan->surprise) continue;
      result_surprises_.push_back(surprises_[part.values + channel * part.tokens + cursor.token]);
    }
    if (session.regular_times) {
      result_times_.push_back(session.regular_start_ns + static_cast<int64_t>(seq) * session.step_ns);
    } else if (times != nullptr) {
      result_times_.push_back(times[piece.first + t]);
    }
  }
  return results;
}

// Tokens of one drain arrived together: they are counted at once.
void Stepper::CountTimes(absl::Span<QueuedItem> items, int64_t now, Histogram<kLatencyBounds.size()>& histogram) {
  for (size_t i = 0; i < items.size();) {
    const int64_t arrival = items[i].arrival_ns;
    uint64_t tokens = 0;
    for (; i < items.size() && items[i].arrival_ns == arrival; ++i) tokens += items[i].tokens;
    histogram.Observe(static_cast<double>(now - arrival) * 1e-9, tokens);
  }
}

}  // namespace aaren
