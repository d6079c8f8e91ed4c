#include "server/net/rpc/messages/convert.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "google/rpc/error_details.pb.h"
#include "server/sessions/session/refusal.h"

namespace aaren::rpc {
namespace {

constexpr size_t kItemBytes = 256 << 10;  // far below the 4 MiB that a gRPC client takes by default

// The seq of result i: the i-th multiple of `every` that is not below first_seq.
uint64_t SeqOfResult(const session::ForecastsReply& reply, size_t i) {
  const uint64_t every = reply.plan->every;
  return (reply.first_seq + every - 1) / every * every + i * every;
}

template <typename Repeated, typename T>
void Append(absl::Span<const T> from, Repeated& field) {
  field.Add(from.begin(), from.end());
}

// Sends the last step alone where all are equal, the case of regular times.
void FillSteps(absl::Span<const int64_t> steps, v1::Forecasts& forecasts) {
  forecasts.set_step_ns(steps.back());
  const bool same = std::all_of(steps.begin(), steps.end(), [&](int64_t step) { return step == steps.front(); });
  if (!same) Append(steps, *forecasts.mutable_steps_ns());
}

template <typename Detail>
void AddDetail(const Detail& detail, google::rpc::Status& status) {
  status.add_details()->PackFrom(detail);
}

engine::Refinement ToRefinement(const v1::OutputOptions& output) {
  if (output.unmixed()) return engine::Refinement::kNetwork;
  if (output.uncalibrated()) return engine::Refinement::kMixed;
  return output.unrestricted() ? engine::Refinement::kCalibrated : engine::Refinement::kRestricted;
}

std::optional<task::EventRequest> ToEventRequest(const v1::OutputOptions& output) {
  if (!output.has_events()) return std::nullopt;
  const v1::EventOutput& events = output.events();
  return task::EventRequest{.spans_s = {events.spans_s().begin(), events.spans_s().end()},
                            .marks = events.marks(),
                            .overdue = events.overdue()};
}

task::OutputRequest ToOutputRequest(const v1::OutputOptions& output, const v1::EventScale& scale) {
  return {.horizons = {output.horizons().begin(), output.horizons().end()},
          .quantiles = {output.quantiles().begin(), output.quantiles().end()},
          .every = std::max(output.every(), 1u),
          .surprise = output.surprise(),
          .refinement = ToRefinement(output),
          .relative = output.relative(),
          .events = ToEventRequest(output),
          .scale = {scale.unit_ns(), scale.resolution_ns()}};
}

void FillSchema(const task::Schema& schema, v1::ModelInfo& info) {
  info.set_horizon(schema.horizon);
  info.mutable_quantiles()->Add(schema.quantiles.begin(), schema.quantiles.end());
  const auto add = [&info](const std::string& name, v1::Column::Role role) {
    v1::Column& column = *info.add_columns();
    column.set_name(name);
    column.set_role(role);
  };
  for (const std::string& target : schema.targets) add(target, v1::Column::TARGET);
  for (uint32_t i = 0; i < schema.channels; ++i) add(absl::StrCat("channel ", i), v1::Column::PAST_COVARIATE);
  for (uint32_t i = 0; i < schema.extension.past; ++i) add(absl::StrCat("past ", i), v1::Column::PAST_COVARIATE);
  for (uint32_t i = 0; i < schema.extension.future; ++i) {
    add(absl::StrCat("future ", i), v1::Column::KNOWN_FUTURE_COVARIATE);
  }
}

void FillModelSchema(const models::LoadedModel& model, v1::ModelInfo& info) {
  info.set_name(model.package.name);
  info.set_kind(model.package.kind);
  info.set_version(static_cast<uint32_t>(model.package.version));
  info.set_digest(model.package.digest);
  info.set_row_bytes(model.engine->row_bytes());
  info.set_tier(model.engine->tier());
  if (model.extends) info.set_far_horizon(engine::kFarHorizon);
  FillSchema(model.conversion->schema(), info);
}

template <typename T>
absl::Span<const T> SpanOf(const google::protobuf::RepeatedField<T>& field) {
  return {field.data(), static_cast<size_t>(field.size())};
}

// How many numbers of one channel's result are sent.
size_t PlannedFloats(const session::ForecastsReply& reply) {
  return reply.model->conversion->PlannedFloats(*reply.plan);
}

// Fills the parts of results [begin, end) that the reply's plan asks for.
void FillValues(const session::ForecastsReply& reply, size_t begin, size_t end,
                google::protobuf::RepeatedField<float>& values) {
  const size_t size = (end - begin) * reply.channels * PlannedFloats(reply);
  // Sized once and written in place: a forecast is hundreds of floats, and most of the bytes sent.
  values.Reserve(static_cast<int>(size));
  float* out = values.AddNAlreadyReserved(static_cast<int>(size));
  for (const float* forecast : reply.forecasts.subspan(begin * reply.channels, (end - begin) * reply.channels)) {
    out = reply.model->conversion->CopyPlanned(forecast, *reply.plan, out);
  }
}

// Fills what results [begin, end) say about the next event.
void FillEvents(const session::ForecastsReply& reply, size_t begin, size_t end, v1::Forecasts& forecasts) {
  task::EventNumbers numbers;
  for (const float* result : reply.forecasts.subspan(begin * reply.channels, (end - begin) * reply.channels)) {
    reply.model->conversion->AppendEvents(result, *reply.plan, numbers);
  }
  Append(absl::MakeConstSpan(numbers.within), *forecasts.mutable_within());
  Append(absl::MakeConstSpan(numbers.marks), *forecasts.mutable_marks());
  Append(absl::MakeConstSpan(numbers.mark_probabilities), *forecasts.mutable_mark_probabilities());
}

// Fills what results [begin, end) say beside their forecasts, as far as the reply's plan asks for that.
void FillTails(const session::ForecastsReply& reply, size_t begin, size_t end, v1::Forecasts& forecasts) {
  if (!reply.plan->relative && !reply.plan->surprise) return;
  bool learning = false;
  for (const float* result : reply.forecasts.subspan(begin * reply.channels, (end - begin) * reply.channels)) {
    const engine::ResultTail tail = reply.model->conversion->TailOf(result);
    if (reply.plan->relative) forecasts.add_offsets(tail.origin);
    if (reply.plan->surprise) forecasts.add_learning(tail.learning);
    learning |= tail.learning;
  }
  if (!learning) forecasts.clear_learning();
}

}  // namespace

session::Outcome<session::OpenRequest> ToOpenRequest(const v1::Open& open, const std::string& tenant) {
  session::Outcome<session::OpenRequest> outcome;
  if (!v1::Open::Mode_IsValid(open.mode())) {
    outcome.refusal = session::InvalidField("open.mode", absl::StrCat(open.mode(), " is none of the modes 0 .. 2"));
  } else if (!v1::Open::Durability_IsValid(open.durability())) {
    outcome.refusal = session::InvalidField("open.durability",
                                            absl::StrCat(open.durability(), " is none of the durabilities 0 .. 3"));
  }
  session::OpenRequest& request = outcome.value;
  request.tenant = tenant;
  request.session_id = open.session_id();
  request.model = open.model();
  request.mode = static_cast<session::OpenMode>(open.mode());
  if (open.has_delivered_seq()) request.delivered_seq = open.delivered_seq();
  if (open.has_incarnation()) request.incarnation = open.incarnation();
  request.channels = open.channels();
  request.output = ToOutputRequest(open.output(), open.event_scale());
  if (open.has_regular_times()) {
    request.regular_times = session::RegularTimes{open.regular_times().start_ns(), open.regular_times().step_ns()};
  }
  request.attempt = {open.writer(), open.number()};
  if (open.has_covariates()) request.covariates = {open.covariates().past(), open.covariates().future()};
  if (open.has_profile()) request.profile = open.profile();
  request.durability = static_cast<session::SessionDurability>(open.durability());
  return outcome;
}

session::TokensView ToTokensView(const v1::Tokens& tokens) {
  session::TokensView view;
  view.handle = tokens.handle();
  view.first_seq = tokens.first_seq();
  view.values = SpanOf(tokens.values());
  view.times_ns = SpanOf(tokens.times_ns());
  view.marks = SpanOf(tokens.marks());
  view.future_values = SpanOf(tokens.future_values());
  view.doubles = SpanOf(tokens.doubles());
  view.covariates = SpanOf(tokens.covariates());
  if (tokens.has_delivered_seq()) view.delivered_seq = tokens.delivered_seq();
  view.silent = tokens.silent();
  return view;
}

void FillOpened(session::Handle handle, const session::OpenedReply& reply, v1::Opened& opened) {
  opened.set_handle(handle);
  opened.set_epoch(reply.epoch);
  opened.set_incarnation(reply.incarnation);
  opened.set_next_seq(reply.next_seq);
  opened.set_durable_seq(reply.durable_seq);
  opened.set_created(reply.created);
  if (reply.lost.has_value()) {
    opened.mutable_lost()->set_begin_seq(reply.lost->first);
    opened.mutable_lost()->set_end_seq(reply.lost->second);
  }
  FillModelSchema(*reply.model, *opened.mutable_model());
  opened.set_channels(reply.channels);
  opened.set_tier(reply.model->engine->tier());
  opened.set_numerics_version(engine::NumericsVersion(reply.model->package.kind));
  opened.set_number(reply.number);
  opened.set_durability(static_cast<v1::Open::Durability>(reply.durability));
  if (reply.clock.has_times()) opened.set_last_time_ns(reply.clock.last_time_ns);
  opened.set_step_ns(reply.clock.step_ns);
}

size_t ResultsPerItem(const session::ForecastsReply& reply) {
  if (reply.results == 1) return 1;
  const size_t events = reply.plan->events.spans_s.size() + 3 * reply.plan->events.marks;  // a mark's varint: 5 bytes
  const size_t channel = (PlannedFloats(reply) + events + 1) * sizeof(float) + sizeof(double) + sizeof(bool);
  const size_t bytes = reply.channels * channel + sizeof(int64_t);
  return std::max<size_t>(kItemBytes / bytes, 1);
}

void FillForecasts(session::Handle handle, const session::ForecastsReply& reply, size_t begin, size_t end,
                   v1::Forecasts& forecasts) {
  forecasts.set_handle(handle);
  forecasts.set_first_seq(begin == 0 ? reply.first_seq : SeqOfResult(reply, begin));
  forecasts.set_next_seq(end == reply.results ? reply.next_seq : SeqOfResult(reply, end));
  forecasts.set_durable_seq(reply.durable_seq);
  FillValues(reply, begin, end, *forecasts.mutable_values());
  FillEvents(reply, begin, end, forecasts);
  if (!reply.surprises.empty()) {
    Append(reply.surprises.subspan(begin * reply.channels, (end - begin) * reply.channels),
           *forecasts.mutable_surprise());
  }
  FillTails(reply, begin, end, forecasts);
  if (!reply.times_ns.empty()) Append(reply.times_ns.subspan(begin, end - begin), *forecasts.mutable_times_ns());
  if (!reply.steps_ns.empty()) FillSteps(reply.steps_ns.subspan(begin, end - begin), forecasts);
}

google::rpc::Status ToRpcStatus(const session::Refusal& refusal) {
  google::rpc::Status status;
  status.set_code(static_cast<int>(refusal.status.code()));
  status.set_message(std::string(refusal.status.message()));
  if (!refusal.reason.empty()) {
    google::rpc::ErrorInfo info;
    info.set_reason(refusal.reason);
    info.set_domain("aaren");
    for (const auto& [key, value] : refusal.metadata) (*info.mutable_metadata())[key] = value;
    AddDetail(info, status);
  }
  if (!refusal.field.empty()) {
    google::rpc::BadRequest request;
    auto& violation = *request.add_field_violations();
    violation.set_field(refusal.field);
    violation.set_description(std::string(refusal.status.message()));
    AddDetail(request, status);
  }
  if (!refusal.quota.empty()) {
    google::rpc::QuotaFailure quota;
    auto& violation = *quota.add_violations();
    violation.set_subject(refusal.quota);
    violation.set_description(std::string(refusal.status.message()));
    AddDetail(quota, status);
  }
  if (refusal.retry_after.has_value()) {
    google::rpc::RetryInfo retry;
    const int64_t nanoseconds = absl::ToInt64Nanoseconds(*refusal.retry_after);
    retry.mutable_retry_delay()->set_seconds(nanoseconds / 1'000'000'000);
    retry.mutable_retry_delay()->set_nanos(static_cast<int32_t>(nanoseconds % 1'000'000'000));
    AddDetail(retry, status);
  }
  return status;
}

void FillModelInfo(const models::LoadedModel& model, v1::ModelInfo& info) {
  FillModelSchema(model, info);
  info.set_description(model.package.description);
  for (const auto& [key, value] : model.package.training) (*info.mutable_training())[key] = value;
}

void FillSessionInfo(const session::SessionInfo& session, v1::SessionInfo& info) {
  info.set_session_id(session.session_id);
  info.set_epoch(session.epoch);
  info.set_incarnation(session.incarnation);
  info.set_next_seq(session.next_seq);
  info.set_durable_seq(session.durable_seq);
  info.set_delivered_seq(session.delivered_seq);
  info.set_model(session.origin.model);
  info.set_package_digest(session.origin.package_digest);
  info.set_tier(session.origin.tier);
  info.set_numerics_version(session.origin.numerics_version);
  info.set_channels(session.channels);
  info.set_state_bytes(session.state_bytes);
  info.set_attached(session.attached);
  info.set_resident(session.resident);
  info.set_last_active_ms(absl::ToUnixMillis(session.last_active));
  info.set_server(session.server);
}

}  // namespace aaren::rpc
