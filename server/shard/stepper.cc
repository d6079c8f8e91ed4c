#include "server/shard/stepper.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace aaren::shard {
namespace {

// Large enough to keep every core's units busy, small enough that outputs stay in the cache until they are sent.
constexpr uint32_t kStepTokens = 4096;
constexpr uint32_t kStepForecasts = 1024;

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
    granted_tokens_ += flow->grant.tokens;
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
  part.tokens = flow.grant.tokens;
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
    for (uint32_t t = 0; t < tokens; ++t) part.wanted += flags[t] = plan.Computes(seq + t);
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

}  // namespace aaren::shard
