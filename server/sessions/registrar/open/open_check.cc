#include "server/sessions/registrar/open/open_check.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/engine/tier.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

constexpr size_t kMaxIdBytes = 128;
constexpr size_t kMaxModelBytes = 256;
constexpr size_t kMaxListed = 4096;  // horizons or quantiles

// A session is bound to a model at creation; an Open may name the model with a version, without, or not at all. A label
// names a new session's model, and may have moved on since.
bool NamesModel(const std::string& name, const models::LoadedModel& model) {
  return name.empty() || name == model.id || name == model.package.name ||
         absl::StartsWith(name, absl::StrCat(model.package.name, "@"));
}

}  // namespace

std::optional<session::Refusal> CheckSessionId(absl::string_view field, absl::string_view id) {
  if (id.empty() || id.size() > kMaxIdBytes) {
    return session::InvalidField(std::string(field),
                                 absl::StrCat("an id has 1 to ", kMaxIdBytes, " bytes, this one ", id.size()));
  }
  const auto bad = std::find_if_not(id.begin(), id.end(), [](unsigned char c) { return absl::ascii_isprint(c); });
  if (bad == id.end()) return std::nullopt;
  return session::InvalidField(
      std::string(field), absl::StrCat("byte ", bad - id.begin(), " of the id is ", static_cast<unsigned char>(*bad),
                                       ", which is not printable ASCII"));
}

std::optional<session::Refusal> CheckRequest(const session::OpenRequest& request, uint32_t max_channels) {
  // A key is tenant, '/', id: a tenant with a '/' could name the sessions of another tenant.
  const std::string& tenant = request.tenant;
  if (tenant.size() > kMaxIdBytes || tenant.find('/') != std::string::npos) {
    return session::InvalidField("tenant",
                                 absl::StrCat("'", tenant, "' is longer than ", kMaxIdBytes, " bytes or holds a '/'"));
  }
  if (std::optional<session::Refusal> refusal = CheckSessionId("open.session_id", request.session_id)) return refusal;
  if (request.channels > max_channels) {
    return session::InvalidField("open.channels",
                                 absl::StrCat(request.channels, " channels, the limit is ", max_channels));
  }
  const task::CovariateCounts covariates = request.covariates.value_or(task::CovariateCounts());
  if (uint64_t{covariates.past} + covariates.future > engine::kMostCovariates) {
    return session::InvalidField(
        "open.covariates", absl::StrCat(covariates.past, " past and ", covariates.future,
                                        " future covariates, the limit is ", engine::kMostCovariates, " together"));
  }
  if (request.model.size() > kMaxModelBytes) {
    return session::InvalidField(
        "open.model", absl::StrCat("a name of ", request.model.size(), " bytes, the limit is ", kMaxModelBytes));
  }
  const size_t listed = std::max(request.output.horizons.size(), request.output.quantiles.size());
  if (listed > kMaxListed) {
    return session::InvalidField("open.output",
                                 absl::StrCat(listed, " horizons or quantiles, the limit is ", kMaxListed));
  }
  if (request.regular_times && request.regular_times->step_ns <= 0) {
    return session::InvalidField("open.regular_times.step_ns",
                                 absl::StrCat(request.regular_times->step_ns, " is not positive"));
  }
  return std::nullopt;
}

std::optional<session::Refusal> CheckExisting(const session::OpenRequest& request, const models::LoadedModel& model,
                                              uint32_t channels, uint64_t epoch, uint64_t incarnation) {
  if (request.mode == session::OpenMode::kCreate) return session::SessionExists(request.session_id, epoch);
  if (request.incarnation && *request.incarnation != incarnation) {
    return session::OtherIncarnation(request.session_id, *request.incarnation, incarnation);
  }
  if (!NamesModel(request.model, model))
    return session::OtherSchema(request.session_id, "model", request.model, model.id);
  if (request.channels != 0 && model.conversion->series(request.channels) != channels) {
    return session::InvalidField("open.channels", absl::StrCat(request.channels, " channels, the session has ",
                                                               channels, " since its creation"));
  }
  return CheckCreation(request, model);
}

std::optional<session::Refusal> CheckCreation(const session::OpenRequest& request, const models::LoadedModel& model) {
  const engine::Extension has = model.conversion->schema().extension, asked = request.ExtensionOver(has);
  if (asked.past != has.past || asked.future != has.future) {
    return session::InvalidField(
        "open.covariates",
        absl::StrCat(asked.past, " past and ", asked.future, " future covariates; a session keeps what ",
                     "it was created with, and this one has ", has.past, " and ", has.future));
  }
  if (asked.profile && !model.extends) {
    return session::InvalidField("open.profile", absl::StrCat("true, but model ", model.id, " (\"", model.package.kind,
                                                              "\") learns no profile"));
  }
  if (asked.profile != has.profile) {
    return session::InvalidField(
        "open.profile",
        absl::StrCat(asked.profile ? "true" : "false", "; a session keeps what it was created with, and this one has ",
                     has.profile ? "a profile" : "none: open a session of another id for one"));
  }
  std::optional<task::BadField> bad =
      model.conversion->CheckSession(request.channels, request.regular_times.has_value());
  if (!bad) bad = model.conversion->Resolve(request.output).bad;
  return bad ? std::optional(session::InvalidField(*bad)) : std::nullopt;
}

models::ModelRef TierOf(const session::OpenRequest& request, const models::ModelTable& models, models::ModelRef model) {
  const engine::Extension extension = request.ExtensionOver();
  const bool extended = extension != engine::Extension() || model->conversion->NeedsExtended(request.output);
  if (!extended) return model;
  models::ModelRef tier = models.FindDigest(model->package.digest, engine::NameOf(extension));
  return tier != nullptr ? tier : model;
}

session::Outcome<models::ModelRef> ModelOfState(const models::ModelTable& models, absl::string_view id,
                                                const store::SessionOrigin& origin) {
  session::Outcome<models::ModelRef> outcome;
  // By digest and not by name: another package under the same name has different weights, and would make nonsense of
  // the rows.
  outcome.value = models.FindDigest(origin.package_digest, origin.tier);
  if (const models::ModelRef other = models.FindDigest(origin.package_digest);
      outcome.value == nullptr && other != nullptr) {
    outcome.refusal = session::OtherSchema(id, "tier", other->engine->tier(), origin.tier);
  } else if (outcome.value == nullptr) {
    const absl::StatusOr<models::ModelRef> namesake = models.Find(origin.model);
    outcome.refusal = session::OtherSchema(
        id, "package digest", namesake.ok() ? (*namesake)->package.digest : "not loaded", origin.package_digest);
  } else if (const int numerics = engine::NumericsVersion(outcome.value->package.kind);
             origin.numerics_version != static_cast<uint32_t>(numerics)) {
    outcome.refusal =
        session::OtherSchema(id, "numerics version", absl::StrCat(numerics), absl::StrCat(origin.numerics_version));
  }
  return outcome;
}

std::optional<session::Refusal> CheckRows(const models::LoadedModel& model, uint32_t channels, uint64_t seq,
                                          absl::string_view rows) {
  const size_t row_bytes = model.engine->row_bytes();
  if (rows.size() != channels * row_bytes) {
    return session::BadState(
        "rows", absl::DataLossError(absl::StrCat(rows.size(), " bytes for ", channels, " rows of ", row_bytes)));
  }
  for (uint32_t channel = 0; channel < channels; ++channel) {
    const absl::string_view row = rows.substr(channel * row_bytes, row_bytes);
    // Rows come from a store or from a client. A row impossible for any series must not become a forecast.
    const absl::StatusOr<uint64_t> taken =
        model.engine->CheckRow({reinterpret_cast<const std::byte*>(row.data()), row.size()});
    if (!taken.ok()) return session::BadState(absl::StrCat("row of channel ", channel), taken.status());
    if (*taken <= seq) continue;  // fewer if the session has gone on with another model since
    return session::BadState(
        absl::StrCat("row of channel ", channel),
        absl::DataLossError(absl::StrCat("it has taken ", *taken, " tokens, its header says only ", seq)));
  }
  return std::nullopt;
}

}  // namespace aaren::registrar
