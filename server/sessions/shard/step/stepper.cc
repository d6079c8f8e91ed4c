#include "server/sessions/shard/step/stepper.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace aaren::shard {
namespace {

// Large enough to keep every core's units busy, small enough to keep outputs in the cache until sent.
constexpr uint32_t kStepTokens = 4096;
constexpr uint32_t kStepForecasts = 1024;

}  // namespace

Stepper::Stepper(const Parts& parts, const Options& options)
    : with_(parts),
      saving_(options.saving),
      max_tokens_(std::max(kStepTokens, options.max_channels)),
      max_forecasts_(std::max(kStepForecasts, options.max_channels)) {}

Stepper::~Stepper() { Wait(); }

void Stepper::Begin(absl::Span<queue::Flow* const> flows) {
  times_.began_ns = with_.clock.NowNanos();
  Gather(flows);
  buffers_.Reserve(sessions_, max_tokens_, max_forecasts_);
  for (session::Session* session : sessions_) {
    if (layout_.calls.empty() || layout_.calls.back().model != session->model) {
      StepCall& call = layout_.calls.emplace_back();
      call.model = session->model;
      call.first_part = layout_.parts.size();
      call.first_run = layout_.runs.size();
    }
    LayOut(*session);
  }
  for (size_t call = 0; call < layout_.calls.size(); ++call) Submit(call);
}

// Collects the step's sessions, with the sessions of a model side by side.
void Stepper::Gather(absl::Span<queue::Flow* const> flows) {
  granted_tokens_ = 0;
  bool mixed = false;
  for (const queue::Flow* flow : flows) {
    flow->session->under_way = true;
    sessions_.push_back(flow->session);
    granted_tokens_ += flow->grant.tokens;
    mixed |= flow->session->model != sessions_.front()->model;
  }
  // The sort is stable: sessions keep the order of the streams' turns.
  if (!mixed) return;
  std::stable_sort(sessions_.begin(), sessions_.end(), [](const session::Session* a, const session::Session* b) {
    return a->model->index < b->model->index;
  });
}

// Makes the session's grant the next part of the last call.
void Stepper::LayOut(session::Session& session) {
  const queue::Flow& flow = *session.flow;
  StepPart& part = layout_.parts.emplace_back();
  part.session = &session;
  part.tokens = flow.grant.tokens;
  part.floats = session.result_floats();
  part.selection = session.plan->selection;
  buffers_.Place(part);
  StepCall& call = layout_.calls.back();
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
  const absl::Span<const uint8_t> flags(&buffers_.flags()[part.flags], part.tokens);
  const absl::Span<const engine::Slot> slots = session.rows.slots(session.channels);
  const size_t inputs = part.tokens * session.inputs();  // numbers a channel
  for (uint32_t channel = 0; channel < session.channels; ++channel) {
    layout_.runs.push_back(
        {slots[channel], absl::MakeConstSpan(&buffers_.inputs()[part.inputs + channel * inputs], inputs), flags,
         &buffers_.forecasts()[part.forecasts + channel * part.wanted * part.floats],
         session.plan->surprise ? &buffers_.surprises()[part.surprises + channel * part.tokens] : nullptr,
         session.plan->refinement, part.selection.get(), session.plan->events.scale});
  }
  call.tokens += part.tokens * session.channels;
  buffers_.Take(part, inputs);
}

// The piece of the item becomes the tokens `at`, `at` + 1, ... of the part.
void Stepper::LayOutItem(StepPart& part, const queue::WaitingItem& item, Piece piece, uint32_t at) {
  const uint32_t tokens = piece.tokens;
  const uint32_t channels = part.session->channels;
  const uint64_t seq = part.session->point.seq + at;
  const size_t inputs = part.session->inputs();
  const float* from = item.inputs() + piece.first * channels * inputs;
  float* to = &buffers_.inputs()[part.inputs + at * inputs];
  // An item has a token's channels side by side; the engine takes a run a channel. A single channel needs no change.
  if (channels == 1) std::copy_n(from, tokens * inputs, to);
  for (size_t channel = 0; channels > 1 && channel < channels; ++channel) {
    for (size_t t = 0; t < tokens; ++t) {
      for (size_t i = 0; i < inputs; ++i) {
        to[(channel * part.tokens + t) * inputs + i] = from[(t * channels + channel) * inputs + i];
      }
    }
  }
  // From seq alone the engine knows the tokens to fold. The flags mark the tokens with a forecast.
  uint8_t* flags = &buffers_.flags()[part.flags + at];
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

// A call has a single model: a lane has rows of a single engine.
void Stepper::Submit(size_t index) {
  StepCall& call = layout_.calls[index];
  const size_t end = index + 1 < layout_.calls.size() ? layout_.calls[index + 1].first_run : layout_.runs.size();
  if (end == call.first_run) return;
  with_.counters.batch_tokens.Observe(call.tokens);
  const absl::StatusOr<engine::Ticket> ticket =
      with_.rows.lane(*call.model)
          .Submit(absl::MakeConstSpan(layout_.runs).subspan(call.first_run, end - call.first_run));
  if (ticket.ok()) {
    call.ticket = *ticket;
  } else {
    call.status = ticket.status();
  }
}

bool Stepper::Poll() {
  bool done = true;
  for (StepCall& call : layout_.calls) {
    if (!call.ticket) continue;
    std::optional<absl::Status> status = with_.rows.lane(*call.model).Poll(*call.ticket);
    done &= status.has_value();
    if (!status) continue;
    call.status = *std::move(status);
    call.ticket.reset();
  }
  return done;
}

void Stepper::Wait() {
  for (StepCall& call : layout_.calls) {
    if (!call.ticket) continue;
    call.status = with_.rows.lane(*call.model).Wait(*call.ticket);
    call.ticket.reset();
  }
}

size_t Stepper::Finish(OnItem on_item) {
  times_.stepped_ns = with_.clock.NowNanos();
  outcomes_ = {};
  failed_.clear();
  finished_.clear();
  for (size_t call = 0; call < layout_.calls.size(); ++call) FinishCall(call, on_item);
  times_.Count(0, 0, with_.counters);
  with_.counters.tokens_forecast.Add(outcomes_.forecast);
  with_.counters.tokens_folded.Add(outcomes_.folded);
  with_.counters.tokens_silent.Add(outcomes_.silent);
  std::swap(sessions_, finished_);
  layout_.Clear();
  buffers_.Clear();
  return granted_tokens_;
}

void Stepper::FinishCall(size_t index, OnItem on_item) {
  const StepCall& call = layout_.calls[index];
  const size_t end = index + 1 < layout_.calls.size() ? layout_.calls[index + 1].first_part : layout_.parts.size();
  for (size_t i = call.first_part; i < end; ++i) {
    const StepPart& part = layout_.parts[i];
    part.session->under_way = false;
    if (!call.status.ok() && part.tokens > 0) {
      failed_.emplace_back(part.session, call.status);
    } else if (part.session->stream != nullptr) {
      Answer(call, part, on_item);
    }
  }
}

}  // namespace aaren::shard
