#include "client/cpp/messages/values.h"

#include <optional>
#include <utility>

#include "client/cpp/messages/claims.h"

namespace aaren::client {
namespace {

Column::Role ToRole(v1::Column::Role role) {
  switch (role) {
    case v1::Column::TARGET:
      return Column::Role::kTarget;
    case v1::Column::PAST_COVARIATE:
      return Column::Role::kPastCovariate;
    case v1::Column::KNOWN_FUTURE_COVARIATE:
      return Column::Role::kKnownFutureCovariate;
    case v1::Column::STATIC:
      return Column::Role::kStatic;
    default:
      // A newer server may have further roles.
      return Column::Role::kUnknown;
  }
}

Durability ToDurability(v1::Open::Durability durability) {
  switch (durability) {
    case v1::Open::NONE:
      return Durability::kNone;
    case v1::Open::INTERVAL:
      return Durability::kInterval;
    case v1::Open::EVERY_TOKEN:
      return Durability::kEveryToken;
    default:
      return Durability::kServerDefault;
  }
}

// For limits that a server leaves at 0.
constexpr uint64_t kDefaultMessageBytes = 4 << 20;
constexpr uint32_t kDefaultTokensPerItem = 1024;

constexpr uint64_t kLeastMessageBytes = 256;  // fewer bytes have no room for an item
// Later times have no date with a year of four digits.
constexpr int64_t kYear10000Ms = 253'402'300'800'000;

ModelLabel ToLabel(const v1::ModelLabel& message, Claims& claims) {
  return {.label = claims.Name("label", message.label()),
          .version = static_cast<int>(claims.Within<uint32_t>("version", message.version(), 0, INT32_MAX)),
          .share = claims.Within("share", message.share(), 0.0, 1.0)};
}

}  // namespace

absl::StatusOr<ModelInfo> ToValue(const v1::ModelInfo& message, absl::string_view server) {
  Claims claims(server, "ModelInfo");
  claims.Levels("quantiles", message.quantiles());
  ModelInfo model{.name = claims.Name("name", message.name()),
                  .version = claims.Within<uint32_t>("version", message.version(), 0, INT32_MAX),
                  .digest = message.digest(),
                  .horizon = claims.Within<uint32_t>("horizon", message.horizon(), 1, kMaxHorizon),
                  .far_horizon = claims.Within<uint32_t>("far_horizon", message.far_horizon(), 0, kMaxHorizon),
                  .quantiles = {message.quantiles().begin(), message.quantiles().end()},
                  .row_bytes = claims.Count("row_bytes", message.row_bytes()),
                  .description = message.description(),
                  .training = {message.training().begin(), message.training().end()},
                  .kind = message.kind(),
                  .tier = message.tier()};
  for (const v1::Column& column : message.columns()) {
    model.columns.push_back({.name = column.name(), .role = ToRole(column.role())});
  }
  return claims.Made(std::move(model));
}

absl::StatusOr<ModelList> ToValue(const v1::ListModelsResponse& message, absl::string_view server) {
  ModelList list{.default_model = message.default_model()};
  for (const v1::ModelInfo& model : message.models()) {
    absl::StatusOr<ModelInfo> value = ToValue(model, server);
    if (!value.ok()) return value.status();
    list.models.push_back(*std::move(value));
  }
  Claims claims(server, "ListModelsResponse");
  // A server of before tells no uses.
  const int uses = message.uses_size() == 0 ? 0 : message.models_size();
  claims.Within("uses.size", message.uses_size(), uses, uses);
  for (const v1::ModelUse& use : message.uses()) {
    list.uses.push_back({use.state() == v1::ModelUse::RETIRING, claims.Count("uses.sessions", use.sessions())});
  }
  // Each model has an element, also where an old server tells no uses.
  list.uses.resize(list.models.size());
  Claims labels(server, "ModelLabel");
  for (const v1::ModelLabel& label : message.labels()) list.labels.push_back(ToLabel(label, labels));
  for (const v1::PendingPackage& package : message.pending()) {
    list.pending.push_back({package.folder(), package.refusal()});
  }
  if (!labels.status().ok()) return labels.status();
  return claims.Made(std::move(list));
}

absl::StatusOr<Opened> ToValue(const v1::Opened& message, absl::string_view server) {
  absl::StatusOr<ModelInfo> model = ToValue(message.model(), server);
  if (!model.ok()) return model.status();
  Claims claims(server, "Opened");
  const uint64_t next_seq = claims.Seq("next_seq", message.next_seq());
  std::optional<int64_t> last_time_ns;
  if (message.has_last_time_ns()) last_time_ns = message.last_time_ns();
  return claims.Made(Opened{.epoch = message.epoch(),
                            .incarnation = message.incarnation(),
                            .next_seq = next_seq,
                            // A server cannot have saved tokens that it does not have.
                            .durable_seq = claims.Within<uint64_t>("durable_seq", message.durable_seq(), 0, next_seq),
                            .created = message.created(),
                            .model = *std::move(model),
                            .channels = claims.Within<uint32_t>("channels", message.channels(), 1, kMaxChannels),
                            .tier = message.tier(),
                            .numerics_version = message.numerics_version(),
                            .durability = ToDurability(message.durability()),
                            .last_time_ns = last_time_ns,
                            .step_ns = claims.Within<int64_t>("step_ns", message.step_ns(), 0, INT64_MAX)});
}

absl::StatusOr<SessionInfo> ToValue(const v1::SessionInfo& message, absl::string_view server) {
  Claims claims(server, "SessionInfo");
  return claims.Made(SessionInfo{.id = claims.Name("session_id", message.session_id()),
                                 .epoch = message.epoch(),
                                 .incarnation = message.incarnation(),
                                 .next_seq = claims.Seq("next_seq", message.next_seq()),
                                 .durable_seq = claims.Seq("durable_seq", message.durable_seq()),
                                 .delivered_seq = claims.Seq("delivered_seq", message.delivered_seq()),
                                 .model = message.model(),
                                 .package_digest = message.package_digest(),
                                 .tier = message.tier(),
                                 .numerics_version = message.numerics_version(),
                                 .channels = claims.Within<uint32_t>("channels", message.channels(), 0, kMaxChannels),
                                 .state_bytes = claims.Count("state_bytes", message.state_bytes()),
                                 .attached = message.attached(),
                                 .resident = message.resident(),
                                 .last_active = absl::FromUnixMillis(claims.Within<int64_t>(
                                     "last_active_ms", message.last_active_ms(), 0, kYear10000Ms)),
                                 .server = message.server()});
}

absl::StatusOr<SessionPage> ToValue(const v1::ListSessionsResponse& message, absl::string_view server) {
  SessionPage page{.next_page_token = message.next_page_token()};
  for (const v1::SessionInfo& session : message.sessions()) {
    absl::StatusOr<SessionInfo> value = ToValue(session, server);
    if (!value.ok()) return value.status();
    page.sessions.push_back(*std::move(value));
  }
  return page;
}

// By value: a snapshot may have megabytes, and moves out of the message.
absl::StatusOr<Snapshot> ToValue(v1::ExportSessionResponse message, absl::string_view server) {
  Claims claims(server, "ExportSessionResponse");
  return claims.Made(Snapshot{.bytes = std::move(*message.mutable_snapshot()),
                              .next_seq = claims.Seq("next_seq", message.next_seq())});
}

absl::StatusOr<v1::Limits> ToLimits(const v1::Welcome& message, absl::string_view server) {
  Claims welcome(server, "Welcome");
  welcome.Within("protocol_version", message.protocol_version(), kProtocolVersion, kProtocolVersion);
  // In another version of the protocol the limits may mean something else.
  if (!welcome.status().ok()) return welcome.status();
  v1::Limits limits = message.limits();
  if (limits.message_bytes() == 0) limits.set_message_bytes(kDefaultMessageBytes);
  if (limits.tokens_per_item() == 0) limits.set_tokens_per_item(kDefaultTokensPerItem);
  if (limits.in_flight_tokens() == 0) limits.set_in_flight_tokens(UINT64_MAX);
  Claims claims(server, "Limits");
  claims.Within<uint64_t>("message_bytes", limits.message_bytes(), kLeastMessageBytes, UINT64_MAX);
  return claims.Made(std::move(limits));
}

v1::Open::Mode ToMessage(OpenMode mode) {
  switch (mode) {
    case OpenMode::kCreate:
      return v1::Open::CREATE;
    case OpenMode::kResume:
      return v1::Open::RESUME;
    default:
      return v1::Open::CREATE_OR_RESUME;
  }
}

v1::Open::Durability ToMessage(Durability durability) {
  switch (durability) {
    case Durability::kNone:
      return v1::Open::NONE;
    case Durability::kInterval:
      return v1::Open::INTERVAL;
    case Durability::kEveryToken:
      return v1::Open::EVERY_TOKEN;
    default:
      return v1::Open::SERVER_DEFAULT;
  }
}

v1::OutputOptions ToMessage(const OutputOptions& output) {
  v1::OutputOptions message;
  message.mutable_horizons()->Add(output.horizons.begin(), output.horizons.end());
  message.mutable_quantiles()->Add(output.quantiles.begin(), output.quantiles.end());
  message.set_every(output.every);
  message.set_surprise(output.surprise);
  // One field is enough: leaving a step out leaves the later steps out, too.
  message.set_unrestricted(output.refinement == Refinement::kUnrestricted);
  message.set_uncalibrated(output.refinement == Refinement::kUncalibrated);
  message.set_unmixed(output.refinement == Refinement::kNone);
  message.set_relative(output.relative);
  const EventOutput& events = output.events;
  if (events.spans_s.empty() && events.marks == 0 && events.overdue == 0) return message;
  v1::EventOutput& asked = *message.mutable_events();
  asked.mutable_spans_s()->Add(events.spans_s.begin(), events.spans_s.end());
  asked.set_marks(events.marks);
  asked.set_overdue(events.overdue);
  return message;
}

v1::EventScale ToMessage(const EventScale& scale) {
  v1::EventScale message;
  message.set_unit_ns(scale.unit_ns);
  message.set_resolution_ns(scale.resolution_ns);
  return message;
}

absl::StatusOr<Overdue> ToValue(const v1::Overdue& message, absl::string_view server) {
  Claims claims(server, "Overdue");
  return claims.Made(Overdue{.next_seq = claims.Seq("next_seq", message.next_seq()),
                             .time_ns = message.time_ns(),
                             .probability = claims.Within("probability", message.probability(), 0.0f, 1.0f)});
}

v1::RegularTimes ToMessage(const RegularTimes& times) {
  v1::RegularTimes message;
  message.set_start_ns(times.start_ns);
  message.set_step_ns(times.step_ns);
  return message;
}

}  // namespace aaren::client
