// The sessions of a FakeServer: opens, folds, forecasts and closes sessions.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/client/fake_server.h"
#include "tests/client/fake_services.h"

namespace aaren {
namespace {

void Fail(uint32_t handle, const google::rpc::Status& status, uint64_t expected_seq, v1::ServerMessage& reply) {
  v1::Failed& failed = *reply.add_items()->mutable_failed();
  failed.set_handle(handle);
  *failed.mutable_status() = status;
  failed.set_expected_seq(expected_seq);
}

// An item has its values as floats or as doubles.
int CountOf(const v1::Tokens& tokens) { return tokens.values_size() + tokens.doubles_size() + tokens.marks_size(); }
double ValueOf(const v1::Tokens& tokens, int i) {
  if (tokens.marks_size() > 0) return tokens.marks(i);
  return tokens.doubles_size() > 0 ? tokens.doubles(i) : static_cast<double>(tokens.values(i));
}

// The sum of the known numbers among `values` that belong to token `i` of `count`.
double SumOf(const google::protobuf::RepeatedField<float>& values, int i, int count) {
  double sum = 0;
  const int width = values.size() / count;
  for (int k = i * width; k < (i + 1) * width; ++k) sum += std::isnan(values[k]) ? 0 : values[k];
  return sum;
}

}  // namespace

google::rpc::Status RpcStatus(int code, const std::string& message) {
  google::rpc::Status status;
  status.set_code(code);
  status.set_message(message);
  return status;
}

// Answers late to an Open before this Open.
void FakeServer::AnswerOldOpen(const v1::Open& open, v1::ServerMessage& reply) {
  v1::Opened& opened = *reply.add_items()->mutable_opened();
  opened.set_handle(open.handle());
  opened.set_number(open.number() + 1000);
  opened.set_next_seq(77);
  v1::Failed& failed = *reply.add_items()->mutable_failed();
  failed.set_handle(open.handle());
  failed.set_open_number(open.number() + 1000);
  *failed.mutable_status() = RpcStatus(5, "an older Open's");
}

void FakeServer::Open(const v1::Open& open, Handles& handles, v1::ServerMessage& reply) {
  attempts_.emplace_back(open.writer(), open.number());
  if (std::exchange(old_open_, false)) AnswerOldOpen(open, reply);
  if (opens_to_fail_ > 0) {
    --opens_to_fail_;
    Fail(open.handle(), fail_open_, 0, reply);
    if (options_.numbers_opens) {
      reply.mutable_items(reply.items_size() - 1)->mutable_failed()->set_open_number(open.number());
    }
    return;
  }
  const bool known = sessions_.count(open.session_id()) > 0;
  if (!known && open.mode() == v1::Open::RESUME) {
    return Fail(open.handle(), RpcStatus(5, absl::StrCat("no session ", open.session_id())), 0, reply);
  }
  if (known && open.mode() == v1::Open::CREATE) {
    return Fail(open.handle(), RpcStatus(6, absl::StrCat("there is a session ", open.session_id())), 0, reply);
  }
  Session& session = sessions_[open.session_id()];
  session.epoch = ++epoch_;
  if (!known) session.incarnation = epoch_;
  session.output = open.output();
  session.covariates = open.covariates();
  if (open.has_delivered_seq() && open.delivered_seq() < session.next_seq) {
    const auto save = std::prev(session.saves.upper_bound(open.delivered_seq()));
    session.next_seq = save->first;
    session.sum = save->second;
    session.saves.erase(std::next(save), session.saves.end());
  }
  handles[open.handle()] = {open.session_id(), session.epoch};
  v1::Opened& opened = *reply.add_items()->mutable_opened();
  opened.set_handle(open.handle());
  if (options_.numbers_opens) opened.set_number(open.number());
  opened.set_epoch(session.epoch);
  opened.set_incarnation(session.incarnation);
  opened.set_next_seq(session.next_seq);
  opened.set_durable_seq(session.durable());
  opened.set_created(!known);
  if (session.last_time_ns != 0) opened.set_last_time_ns(session.last_time_ns);
  opened.set_step_ns(session.step_ns);
  opened.set_channels(1);
  *opened.mutable_model() = FakeModel();
  opened.mutable_model()->set_kind(options_.events ? "events" : "forecaster");
}

void FakeServer::Settle(Session& session, uint64_t delivered) {
  session.delivered = std::max(session.delivered, delivered);
  while (session.saves.size() > 1 && std::next(session.saves.begin())->first <= session.delivered) {
    session.saves.erase(session.saves.begin());
  }
}

void FakeServer::Fold(const v1::Tokens& tokens, Handles& handles, v1::ServerMessage& reply) {
  const auto awake = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !paused_ || stopping_; };
  mutex_.Await(absl::Condition(&awake));
  const auto found = handles.find(tokens.handle());
  if (found == handles.end()) return;
  Attached& attached = found->second;
  const auto known = sessions_.find(attached.id);
  if (known == sessions_.end() || known->second.epoch != attached.epoch) {
    Fail(tokens.handle(), RpcStatus(10, absl::StrCat("another writer has ", attached.id)), 0, reply);
    handles.erase(found);
    return;
  }
  Session& session = known->second;
  Settle(session, tokens.delivered_seq());
  const auto n = static_cast<uint64_t>(CountOf(tokens));
  if (n > options_.limits.tokens_per_item()) ++violations_;
  if (tokens.first_seq() + n > session.delivered + options_.limits.in_flight_tokens()) ++violations_;
  if (attached.skipping && tokens.first_seq() != session.next_seq) return;
  attached.skipping = false;
  const bool told = tokens_to_fail_ > 0;
  if (told || tokens.first_seq() > session.next_seq) {
    attached.skipping = true;
    tokens_to_fail_ -= told ? 1 : 0;
    const auto gap = RpcStatus(11, absl::StrCat("a gap: ", tokens.first_seq(), " after ", session.next_seq));
    return Fail(tokens.handle(), told ? fail_tokens_ : gap, session.next_seq, reply);
  }
  Answer(tokens, session, reply);
}

void FakeServer::AddEvent(uint32_t mark, const v1::EventOutput& output, v1::Forecasts& forecasts) {
  for (const double span : output.spans_s()) forecasts.add_within(static_cast<float>(span));
  for (uint32_t i = 0; i < output.marks(); ++i) {
    forecasts.add_marks(i == 0 ? mark : UINT32_MAX);
    forecasts.add_mark_probabilities(i == 0 ? 0.75f : i == 1 ? 0.25f : 0.0f);
  }
}

void FakeServer::AddOverdue(uint32_t handle, const Session& session, v1::ServerMessage& reply) {
  for (int time = 0; time < 2; ++time) {
    v1::Overdue& overdue = *reply.add_items()->mutable_overdue();
    overdue.set_handle(handle);
    overdue.set_next_seq(session.next_seq);
    overdue.set_time_ns(session.last_time_ns + 1);
    overdue.set_probability(0.0078125f);
  }
}

// Steps are between tokens with forecasts: enough for the tests.
void FakeServer::AddTime(int64_t time_ns, Session& session, v1::Forecasts& forecasts) {
  if (session.last_time_ns != 0 && time_ns > session.last_time_ns) session.step_ns = time_ns - session.last_time_ns;
  session.last_time_ns = time_ns;
  forecasts.add_times_ns(time_ns);
  forecasts.add_steps_ns(session.step_ns);
}

void FakeServer::Answer(const v1::Tokens& tokens, Session& session, v1::ServerMessage& reply) {
  v1::Forecasts forecasts;
  forecasts.set_first_seq(tokens.first_seq());
  for (int i = 0; i < CountOf(tokens); ++i) {
    const uint64_t seq = tokens.first_seq() + static_cast<uint64_t>(i);
    if (seq < session.next_seq) {
      ++duplicates_;
      continue;
    }
    session.sum += ValueOf(tokens, i) + SumOf(tokens.covariates(), i, CountOf(tokens));
    const double known = SumOf(tokens.future_values(), i, CountOf(tokens));
    session.next_seq = seq + 1;
    ++folded_;
    if (options_.save_every > 0 && session.next_seq % options_.save_every == 0) {
      session.saves[session.next_seq] = session.sum;
    }
    if (tokens.silent() || seq % std::max(1u, session.output.every()) != 0) continue;
    session.forecast_seqs.insert(seq);
    const auto add = [&](double value, double shift) {
      if (session.output.quantiles().empty()) forecasts.add_values(static_cast<float>(value));
      for (const float level : session.output.quantiles())
        forecasts.add_values(static_cast<float>(value + shift * (level - 0.5)));
    };
    if (options_.events) {
      // The quantiles of an event's time are all the sum.
      add(session.sum, 0);
      AddEvent(tokens.marks(i), session.output.events(), forecasts);
    } else {
      add(session.sum, 1);
      add(static_cast<double>(seq) + known, 1);
    }
    if (options_.surprises && session.output.surprise()) {
      const bool any = seq > 0 && session.forecast_seqs.count(seq - 1) > 0;
      forecasts.add_surprise(any ? static_cast<float>(std::clamp(ValueOf(tokens, i), 0.0, 1.0))
                                 : std::numeric_limits<float>::quiet_NaN());
    }
    if (tokens.times_ns_size() > 0) AddTime(tokens.times_ns(i), session, forecasts);
  }
  const auto& steps = forecasts.steps_ns();
  if (steps.empty() || std::equal(steps.begin() + 1, steps.end(), steps.begin())) {
    if (!steps.empty()) forecasts.set_step_ns(steps[0]);
    forecasts.clear_steps_ns();
  }
  Settle(session, session.delivered);
  if (tokens.silent()) {
    v1::Acked& acked = *reply.add_items()->mutable_acked();
    acked.set_handle(tokens.handle());
    acked.set_next_seq(session.next_seq);
    acked.set_durable_seq(session.durable());
    return;
  }
  forecasts.set_handle(tokens.handle());
  forecasts.set_next_seq(session.next_seq);
  forecasts.set_durable_seq(session.durable());
  *reply.add_items()->mutable_forecasts() = std::move(forecasts);
  if (session.output.events().overdue() > 0) AddOverdue(tokens.handle(), session, reply);
}

void FakeServer::Close(const v1::Close& close, Handles& handles, v1::ServerMessage& reply) {
  const auto found = handles.find(close.handle());
  if (found == handles.end()) return;
  v1::Closed& closed = *reply.add_items()->mutable_closed();
  closed.set_handle(close.handle());
  const auto known = sessions_.find(found->second.id);
  if (known != sessions_.end()) {
    Settle(known->second, close.delivered_seq());
    closed.set_next_seq(known->second.next_seq);
    if (close.delete_session()) sessions_.erase(known);
  }
  handles.erase(found);
  ++closed_;
}

}  // namespace aaren
