#include "client/cli/commands/stream/stream_model.h"

#include <string>
#include <utility>

#include "aaren/client/model_info.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/cli/commands/served_models.h"

namespace aaren::cli {
namespace {

// The model that streams rows. A session that the server keeps has a model already, perhaps not the default.
absl::StatusOr<client::ModelInfo> ModelOfRows(const ServedModels& models, const ForecastStreamOptions& options) {
  const bool kept = !options.delete_session;
  if (options.model.empty() && kept) {
    absl::StatusOr<client::ModelInfo> own = models.OfSession(options.session);
    if (!own.ok() || !own->name.empty()) return own;
  }
  return models.Named(options.model);
}

absl::Status CheckFlags(const StreamFlags& stream, const client::ModelInfo& model) {
  const auto wrong = [&model](absl::string_view flag, absl::string_view problem, absl::string_view kind) {
    const std::string name = model.name.empty() ? "of the session" : model.FullName();
    return absl::InvalidArgumentError(absl::StrCat(flag, " ", problem, "; the model ", name, " is ", kind));
  };
  if (model.kind == client::kEventsKind) {
    return wrong(stream.SourceName(), "has rows, and --events=FILE streams events", "one of events");
  }
  if (model.kind == client::kClassificationKind) {
    if (stream.alert) return wrong("--alert", "judges forecasts of values", "a classifier");
    if (!stream.quantiles.levels.empty()) return wrong("--quantiles", "are of forecasts of values", "a classifier");
    return absl::OkStatus();
  }
  if (!stream.text) return absl::OkStatus();
  return wrong("--text", "is for --events=FILE and for classifiers", model.name.empty() ? "unknown" : "a forecaster");
}

}  // namespace

absl::Status ChooseModel(const StreamFlags& stream, const Interrupt& interrupt, ForecastStreamOptions& options) {
  const absl::Duration timeout = stream.retry ? absl::InfiniteDuration() : stream.connect_timeout;
  const ServedModels models(stream.connection.target, stream.channel, timeout, interrupt);
  const bool events = !stream.file.path.empty();
  if (events) {
    if (!options.model.empty()) return absl::OkStatus();
    absl::StatusOr<std::string> found = models.NameOfEventModel();
    if (found.ok()) options.model = *std::move(found);
    return found.status();
  }
  const absl::StatusOr<client::ModelInfo> model = ModelOfRows(models, options);
  if (!model.ok()) return model.status();
  options.classifies = model->kind == client::kClassificationKind;
  options.words = stream.text;
  return CheckFlags(stream, *model);
}

}  // namespace aaren::cli
