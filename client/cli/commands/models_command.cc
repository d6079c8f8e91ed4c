// aaren models: the models of a server.

#include <cstdio>
#include <string>
#include <vector>

#include "aaren/client/models.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands/command.h"
#include "client/cli/commands/service_error.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

const char* RoleName(client::Column::Role role) {
  switch (role) {
    case client::Column::Role::kTarget:
      return "target";
    case client::Column::Role::kPastCovariate:
      return "past_covariate";
    case client::Column::Role::kKnownFutureCovariate:
      return "known_future_covariate";
    case client::Column::Role::kStatic:
      return "static";
    default:
      return "unknown";
  }
}

// The labels of this version of the model.
std::vector<std::string> LabelsOf(const client::ModelList& list, const client::ModelInfo& model) {
  std::vector<std::string> labels;
  for (const client::ModelLabel& label : list.labels) {
    // A label is NAME@LABEL, and lists under a model leave the name out.
    const auto at = label.label.find('@');
    if (label.version == static_cast<int>(model.version) && label.label.substr(0, at) == model.name)
      labels.push_back(label.label.substr(at + 1));
  }
  return labels;
}

// `list` and `use` are set for a model in a list.
std::string ToJson(const client::ModelInfo& model, const client::ModelList* list = nullptr,
                   const client::ModelUse* use = nullptr) {
  std::string out;
  JsonObject object(out);
  object.Add("name", model.name).Add("version", model.version).Add("kind", model.kind).Add("digest", model.digest);
  object.Add("horizon", model.horizon)
      .Add("far_horizon", model.far_horizon)
      .Add("quantiles", absl::Span<const float>(model.quantiles));
  object.Add("row_bytes", model.row_bytes).Add("tier", model.tier).Add("description", model.description);
  if (use != nullptr) {
    object.Add("state", use->retiring ? "retiring" : "offered").Add("sessions", use->sessions);
    object.Key("labels");
    out += '[';
    for (const std::string& label : LabelsOf(*list, model)) {
      if (out.back() != '[') out += ',';
      AppendJson(label, out);
    }
    out += ']';
  }
  object.Key("columns");
  out += '[';
  for (const client::Column& column : model.columns) {
    if (&column != &model.columns.front()) out += ',';
    JsonObject(out).Add("name", column.name).Add("role", RoleName(column.role)).Close();
  }
  out += ']';
  object.Key("training");
  JsonObject training(out);
  for (const auto& [key, value] : model.training) training.Add(key, value);
  training.Close();
  object.Close();
  return out;
}

void PrintList(const client::ModelList& list) {
  absl::PrintF("%-32s %-8s %8s %8s %10s  %s\n", "model", "state", "sessions", "horizon", "row bytes", "description");
  for (size_t i = 0; i < list.models.size(); ++i) {
    const client::ModelInfo& model = list.models[i];
    const std::string name = model.FullName();
    PrintLine(absl::StrFormat("%s %-8s %8d %8d %10d  %s%s", Padded(name, 32),
                              list.uses[i].retiring ? "retiring" : "offered", list.uses[i].sessions, model.horizon,
                              model.row_bytes, name == list.default_model ? "(default) " : "", model.description));
  }
  // Labels have lines of their own, since the share of new sessions belongs to a label.
  for (const client::ModelLabel& label : list.labels) {
    const std::string share = label.share > 0 ? absl::StrFormat(", %g%% of new sessions", 100 * label.share) : "";
    PrintLine(absl::StrFormat("%s version %d%s", Padded(label.label, 32), label.version, share));
  }
  for (const client::PendingPackage& package : list.pending) {
    PrintLine(absl::StrCat(Padded(package.folder, 32), " ",
                           package.refusal.empty() ? "loading" : absl::StrCat("refused: ", package.refusal)));
  }
}

void PrintOne(const client::ModelInfo& model) {
  PrintLine(absl::StrCat("model        ", model.FullName()));
  PrintLine(absl::StrCat("digest       ", model.digest));
  const std::string far = model.far_horizon > 0 ? absl::StrCat(", or ", model.far_horizon, " in longer rows") : "";
  PrintLine(absl::StrCat("horizon      ", model.horizon, far));
  PrintLine(absl::StrCat("row bytes    ", model.row_bytes));
  PrintLine(absl::StrCat("tier         ", model.tier));
  PrintLine(absl::StrCat("description  ", model.description));
  std::string quantiles;
  for (float level : model.quantiles) {
    quantiles += quantiles.empty() ? "" : " ";
    AppendJson(level, quantiles);
  }
  PrintLine(absl::StrCat("quantiles    ", quantiles));
  for (const client::Column& column : model.columns) {
    PrintLine(absl::StrFormat("column       %s (%s)", column.name, RoleName(column.role)));
  }
  for (const auto& [key, value] : model.training) {
    PrintLine(absl::StrFormat("training     %s = %s", key, value));
  }
}

int List(const client::ServiceOptions& server, bool json) {
  const auto list = client::Models(server).List();
  if (!list.ok()) return Fail(ServiceError("models list", server.target, list.status()));
  if (!json) return PrintList(*list), kSuccess;
  for (size_t i = 0; i < list->models.size(); ++i) {
    absl::PrintF("%s\n", ToJson(list->models[i], &*list, &list->uses[i]));
  }
  return kSuccess;
}

int Get(const client::ServiceOptions& server, const std::string& name, bool json) {
  const auto model = client::Models(server).Get(name);
  if (!model.ok()) return Fail(ServiceError(absl::StrCat("models get ", name), server.target, model.status()));
  if (json) {
    absl::PrintF("%s\n", ToJson(*model));
  } else {
    PrintOne(*model);
  }
  return kSuccess;
}

}  // namespace

int RunModels(Arguments arguments) {
  ConnectionFlags connection;
  client::ServiceOptions server;
  bool json = false;
  command_line::Flags flags("aaren models list | get NAME[:VERSION|@LABEL]",
                            "Lists the models of a server, or shows one.");
  flags.AddVerb("list", {}, "all of them");
  flags.AddVerb("get", {"NAME[:VERSION|@LABEL]"}, "one, with its columns and how it was trained");
  flags.RequireVerb();
  flags.Add("json", &json, "one JSON object a line");
  flags.Add("timeout", &server.timeout, "give up if no answer comes for so long");
  connection.AddTo(flags);
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(arguments);
  if (!parsed.ok()) return FailUsage("models", parsed.status());
  if (!parsed->answer.empty()) return absl::PrintF("%s", parsed->answer), kSuccess;
  absl::StatusOr<client::ChannelOptions> channel = connection.Channel();
  if (!channel.ok()) return FailUsage("models", channel.status());
  server.target = connection.target;
  server.channel = *std::move(channel);
  return parsed->verb == "list" ? List(server, json) : Get(server, parsed->operands[0], json);
}

}  // namespace aaren::cli
