#include "client/cpp/messages/values.h"

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

}  // namespace

ModelInfo ToValue(const v1::ModelInfo& message) {
  ModelInfo model{.name = message.name(),
                  .version = message.version(),
                  .digest = message.digest(),
                  .horizon = message.horizon(),
                  .quantiles = {message.quantiles().begin(), message.quantiles().end()},
                  .row_bytes = message.row_bytes(),
                  .description = message.description(),
                  .training = {message.training().begin(), message.training().end()},
                  .tier = message.tier()};
  for (const v1::Column& column : message.columns()) {
    model.columns.push_back({.name = column.name(), .role = ToRole(column.role())});
  }
  return model;
}

Opened ToValue(const v1::Opened& message) {
  return {.epoch = message.epoch(),
          .incarnation = message.incarnation(),
          .next_seq = message.next_seq(),
          .durable_seq = message.durable_seq(),
          .created = message.created(),
          .model = ToValue(message.model()),
          .channels = message.channels(),
          .tier = message.tier(),
          .numerics_version = message.numerics_version(),
          .durability = ToDurability(message.durability())};
}

SessionInfo ToValue(const v1::SessionInfo& message) {
  return {.id = message.session_id(),
          .epoch = message.epoch(),
          .incarnation = message.incarnation(),
          .next_seq = message.next_seq(),
          .durable_seq = message.durable_seq(),
          .delivered_seq = message.delivered_seq(),
          .model = message.model(),
          .package_digest = message.package_digest(),
          .tier = message.tier(),
          .numerics_version = message.numerics_version(),
          .channels = message.channels(),
          .state_bytes = message.state_bytes(),
          .attached = message.attached(),
          .resident = message.resident(),
          .last_active = absl::FromUnixMillis(message.last_active_ms()),
          .server = message.server()};
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
  message.set_unrestricted(output.refinement == Refinement::kUnrestricted);
  message.set_uncalibrated(output.refinement == Refinement::kUncalibrated);
  message.set_unmixed(output.refinement == Refinement::kNone);
  return message;
}

v1::RegularTimes ToMessage(const RegularTimes& times) {
  v1::RegularTimes message;
  message.set_start_ns(times.start_ns);
  message.set_step_ns(times.step_ns);
  return message;
}

}  // namespace aaren::client
