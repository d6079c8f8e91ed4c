// aaren models: what a server can forecast with.

#include <cstdio>

#include "aaren/v1/models.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/commands/command.h"
#include "client/cli/commands/unary.h"
#include "client/cli/flags/connection_flags.h"
#include "client/cli/flags/flags.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

const char* RoleName(v1::Column::Role role) {
  switch (role) {
    case v1::Column::TARGET:
      return "target";
    case v1::Column::PAST_COVARIATE:
      return "past_covariate";
    case v1::Column::KNOWN_FUTURE_COVARIATE:
      return "known_future_covariate";
    case v1::Column::STATIC:
      return "static";
    default:
      return "unknown";
  }
}

std::string NameOf(const v1::ModelInfo& model) { return absl::StrCat(model.name(), ":", model.version()); }

std::string ToJson(const v1::ModelInfo& model) {
  std::string out;
  JsonObject object(out);
  object.Add("name", model.name()).Add("version", model.version()).Add("digest", model.digest());
  object.Add("horizon", model.horizon()).Add("quantiles", absl::Span<const float>(model.quantiles()));
  object.Add("row_bytes", model.row_bytes()).Add("description", model.description());
  object.Key("columns");
  out += '[';
  for (const v1::Column& column : model.columns()) {
    if (&column != &model.columns(0)) out += ',';
    JsonObject(out).Add("name", column.name()).Add("role", RoleName(column.role())).Close();
  }
  out += ']';
  object.Key("training");
  JsonObject training(out);
  // A protobuf map has no order of its own; a reader expects one.
  for (const auto& [key, value] :
       std::map<std::string, std::string>(model.training().begin(), model.training().end())) {
    training.Add(key, value);
  }
  training.Close();
  object.Close();
  return out;
}

void PrintList(const v1::ListModelsResponse& list) {
  absl::PrintF("%-32s %8s %10s  %s\n", "model", "horizon", "row bytes", "description");
  for (const v1::ModelInfo& model : list.models()) {
    const std::string name = NameOf(model);
    absl::PrintF("%-32s %8d %10d  %s%s\n", name, model.horizon(), model.row_bytes(),
                 name == list.default_model() ? "(default) " : "", ToUtf8(model.description()));
  }
}

void PrintOne(const v1::ModelInfo& model) {
  absl::PrintF("model        %s\ndigest       %s\nhorizon      %d\nrow bytes    %d\n", NameOf(model), model.digest(),
               model.horizon(), model.row_bytes());
  absl::PrintF("description  %s\n", ToUtf8(model.description()));
  std::string quantiles;
  for (float level : model.quantiles()) {
    quantiles += quantiles.empty() ? "" : " ";
    AppendJson(level, quantiles);
  }
  absl::PrintF("quantiles    %s\n", quantiles);
  for (const v1::Column& column : model.columns()) {
    absl::PrintF("column       %s (%s)\n", ToUtf8(column.name()), RoleName(column.role()));
  }
  for (const auto& [key, value] :
       std::map<std::string, std::string>(model.training().begin(), model.training().end())) {
    absl::PrintF("training     %s = %s\n", ToUtf8(key), ToUtf8(value));
  }
}

int List(v1::Models::Stub& stub, const Asked& asked, bool json) {
  const auto list = Ask(stub, asked, "models list", &v1::Models::Stub::List, v1::ListModelsRequest());
  if (!list.ok()) return Fail(list.status());
  if (!json) return PrintList(*list), kSuccess;
  for (const v1::ModelInfo& model : list->models()) absl::PrintF("%s\n", ToJson(model));
  return kSuccess;
}

int Get(v1::Models::Stub& stub, const Asked& asked, const std::string& name, bool json) {
  v1::GetModelRequest request;
  request.set_model(name);
  const auto model = Ask(stub, asked, absl::StrCat("models get ", name), &v1::Models::Stub::Get, request);
  if (!model.ok()) return Fail(model.status());
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
  Asked asked;
  bool json = false;
  Flags flags("aaren models list | get NAME[:VERSION]", "Lists the models of a server, or shows one.");
  flags.Add("json", &json, "one JSON object a line");
  flags.Add("timeout", &asked.timeout, "give up if no answer comes for so long");
  connection.AddTo(flags);
  const absl::StatusOr<std::vector<std::string>> words = flags.Parse(arguments);
  if (flags.help()) return absl::PrintF("%s", flags.Help()), kSuccess;
  if (!words.ok()) return FailUsage("models", words.status());
  absl::StatusOr<client::ChannelOptions> channel = connection.Channel();
  if (!channel.ok()) return FailUsage("models", channel.status());
  asked.target = connection.target;
  asked.channel = *std::move(channel);
  const std::unique_ptr<v1::Models::Stub> stub = v1::Models::NewStub(client::MakeChannel(asked.target, asked.channel));
  if (words->size() == 1 && words->front() == "list") return List(*stub, asked, json);
  if (words->size() == 2 && words->front() == "get") return Get(*stub, asked, words->back(), json);
  return FailUsage("models", absl::InvalidArgumentError("say list, or get NAME"));
}

}  // namespace aaren::cli
