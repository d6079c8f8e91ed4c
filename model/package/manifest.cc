#include "model/package/manifest.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/package/json_fields.h"

namespace aaren::package {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

// The double with the shortest decimal form that is still the float: 0.1 and not 0.10000000149011612.
double Shortest(float value) {
  // A float has at most 9 significant digits; 32 characters leave room for sign, point and exponent.
  char text[32];
  const char* end = std::to_chars(text, text + sizeof(text), value).ptr;
  double wide = 0;
  std::from_chars(text, end, wide);
  return wide;
}

absl::Status ReadConfig(const json& value, ForecasterConfig& config) {
  JsonFields fields(value, "config");
  fields.Read("ring", config.ring);
  fields.Read("width", config.width);
  fields.Read("layers", config.layers);
  fields.Read("heads", config.heads);
  fields.Read("value_width", config.value_width);
  fields.Read("embed_hidden", config.embed_hidden);
  fields.Read("mlp_hidden", config.mlp_hidden);
  fields.Read("horizon", config.horizon);
  fields.Read("fold_every", config.fold_every);
  fields.Read("history", config.history);
  fields.Read("quantiles", config.quantiles);
  // An absent field means false.
  if (value.is_object() && value.contains("seasons")) fields.Read("seasons", config.seasons);
  return fields.Finish();
}

nlohmann::ordered_json FormatConfig(const ForecasterConfig& config) {
  nlohmann::ordered_json quantiles = nlohmann::ordered_json::array();
  for (float level : config.quantiles) quantiles.push_back(Shortest(level));
  nlohmann::ordered_json value = {{"ring", config.ring},
                                  {"width", config.width},
                                  {"layers", config.layers},
                                  {"heads", config.heads},
                                  {"value_width", config.value_width},
                                  {"embed_hidden", config.embed_hidden},
                                  {"mlp_hidden", config.mlp_hidden},
                                  {"horizon", config.horizon},
                                  {"fold_every", config.fold_every},
                                  {"history", config.history},
                                  {"quantiles", std::move(quantiles)}};
  if (config.seasons) value["seasons"] = true;
  return value;
}

absl::Status ReadClassifier(const json& value, ClassifierConfig& config) {
  JsonFields fields(value, "config");
  fields.Read("steps", config.steps);
  fields.Read("classes", config.classes);
  fields.Read("means", config.means);
  fields.Read("deviations", config.deviations);
  return fields.Finish();
}

nlohmann::ordered_json FormatClassifier(const ClassifierConfig& config) {
  return {
      {"steps", config.steps}, {"classes", config.classes}, {"means", config.means}, {"deviations", config.deviations}};
}

absl::Status ReadWeights(const json& value, Manifest& manifest) {
  JsonFields fields(value, "weights");
  fields.Read("file", manifest.weights_file);
  fields.Read("sha256", manifest.weights_sha256);
  return fields.Finish();
}

bool IsName(absl::string_view name) {
  // A colon is not among the letters, because name:version names a package in a folder of models.
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
  });
}

// True for a name in the folder itself; no such name leads elsewhere.
bool IsFileName(absl::string_view name) {
  // The backslash separates folders on other systems, and a NUL would cut a path short.
  return !name.empty() && name != "." && name != ".." && name.find_first_of(absl::string_view("/\\\0", 3)) == name.npos;
}

bool IsSha256(absl::string_view text) {
  return text.size() == 64 &&
         // Hashes are compared as text, so only one spelling is allowed.
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

// Early packages name the field after the engine's number, before packages and engines had separate numbers. The
// meaning is the same.
std::string InputVersionField(const json& manifest) {
  const bool old = manifest.contains("numerics_version") && !manifest.contains("input_version");
  return old ? "numerics_version" : "input_version";
}

bool IsForecaster(const ModelPackage& package) { return package.kind == kForecaster; }
bool IsClassifier(const ModelPackage& package) { return package.kind == kClassification; }

// The sizes in model.json; kinds without a config have sizes that are constants of their tasks.
absl::Status ReadSizes(const json* config, ModelPackage& package) {
  if (config == nullptr) return absl::OkStatus();
  return IsForecaster(package) ? ReadConfig(*config, package.config) : ReadClassifier(*config, package.classifier);
}

absl::Status CheckSizes(const ModelPackage& package) {
  if (IsForecaster(package)) return package.config.Validate();
  return IsClassifier(package) ? package.classifier.Validate() : absl::OkStatus();
}

absl::Status CheckVersions(int format, const ModelPackage& package) {
  if (format != kFormat) {
    return absl::InvalidArgumentError(absl::StrCat("format is ", format, "; this program reads ", kFormat));
  }
  if (std::find(std::begin(kKinds), std::end(kKinds), package.kind) == std::end(kKinds)) {
    return absl::InvalidArgumentError(
        absl::StrCat("kind is \"", package.kind, "\"; this program reads ", absl::StrJoin(kKinds, ", ")));
  }
  // Another kind's task knows the versions of its inputs.
  const int input_version = package.input_version;
  if (IsForecaster(package) && input_version != kInputVersion && input_version != kSeasonalInputVersion) {
    return absl::InvalidArgumentError(absl::StrCat("input_version is ", input_version,
                                                   "; this program makes inputs of ", kInputVersion, " and ",
                                                   kSeasonalInputVersion));
  }
  return absl::OkStatus();
}

absl::Status CheckInputVersion(const ModelPackage& package) {
  const int input_version = package.input_version;
  const ForecasterConfig& config = package.config;
  if (input_version == InputVersion(config)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("input_version is ", input_version, ", not ", InputVersion(config),
                                                 ", but config.seasons is ", config.seasons ? "true" : "false"));
}

}  // namespace

absl::Status CheckName(absl::string_view name) {
  if (IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("name is \"", name, "\", not of the form [a-z0-9-]{1,64}"));
}

absl::Status CheckManifest(const Manifest& manifest) {
  const ModelPackage& package = manifest.package;
  if (absl::Status status = CheckName(package.name); !status.ok()) return status;
  if (package.version < 1) {
    return absl::InvalidArgumentError(absl::StrCat("version is ", package.version, ", not 1 or more"));
  }
  if (absl::Status status = CheckSizes(package); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("config.", status.message()));
  }
  if (!IsFileName(manifest.weights_file)) {
    return absl::InvalidArgumentError(absl::StrCat("weights.file is \"", manifest.weights_file,
                                                   "\", not the name of a file in the package's folder"));
  }
  if (!IsSha256(manifest.weights_sha256)) {
    return absl::InvalidArgumentError(
        absl::StrCat("weights.sha256 is \"", manifest.weights_sha256, "\", not 64 lower-case hexadecimal digits"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Manifest> ParseManifest(absl::string_view text) {
  absl::StatusOr<json> parsed = ParseJson(text);
  if (!parsed.ok()) return parsed.status();
  Manifest manifest;
  ModelPackage& package = manifest.package;
  int format = 0;
  JsonFields fields(*parsed, "");
  // The format is read first, so that a file of another format is reported as such and not for its fields.
  fields.Read("format", format);
  fields.Read("kind", package.kind);
  fields.Read(InputVersionField(*parsed), package.input_version);
  fields.Read("name", package.name);
  fields.Read("version", package.version);
  fields.Read("description", package.description);
  fields.Read("training", package.training);
  const bool sized = IsForecaster(package) || IsClassifier(package);
  const json* const config = sized ? &fields.Take("config") : nullptr;
  const json& weights = fields.Take("weights");
  absl::Status status = CheckVersions(format, package);
  // A missing field is reported before the version error that the field's default value of zero would cause.
  if (absl::Status finish = fields.Finish(); !finish.ok() && (status.ok() || format == 0)) status = finish;
  if (status.ok()) status = ReadSizes(config, package);
  if (status.ok() && IsForecaster(package)) status = CheckInputVersion(package);
  if (status.ok()) status = ReadWeights(weights, manifest);
  if (status.ok()) status = CheckManifest(manifest);
  if (!status.ok()) return status;
  return manifest;
}

absl::StatusOr<std::string> FormatManifest(const Manifest& manifest) {
  const ModelPackage& package = manifest.package;
  nlohmann::ordered_json value = {
      {"format", kFormat},
      {"kind", package.kind},
      {"name", package.name},
      {"version", package.version},
      {"description", package.description},
      {"input_version", IsForecaster(package) ? InputVersion(package.config) : package.input_version},
  };
  if (IsForecaster(package)) value["config"] = FormatConfig(package.config);
  if (IsClassifier(package)) value["config"] = FormatClassifier(package.classifier);
  value["weights"] = {{"file", manifest.weights_file}, {"sha256", manifest.weights_sha256}};
  value["training"] = package.training;
  // nlohmann-json throws for text that is not UTF-8, and the exception ends here.
  try {
    return value.dump(2) + "\n";
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("model.json cannot be written: ", error.what()));
  }
}

}  // namespace aaren::package
