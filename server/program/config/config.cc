#include "server/program/config/config.h"

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "model/command_line/flags.h"
#include "server/program/config/setting.h"
#include "server/program/version/version.h"

namespace aaren::config {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;  // no settings are longer: the file is another

using google::protobuf::Descriptor;
using google::protobuf::TextFormat;

const Descriptor& Fields() { return *ServerConfig::descriptor(); }

// Keeps the first error and its line.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(":", line + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status CheckFile(const std::string& file, const ServerConfig& parsed, const TextFormat::ParseInfoTree& places) {
  for (int i = 0; i < Fields().field_count(); ++i) {
    const Setting setting(*Fields().field(i));
    if (absl::Status status = setting.Check(parsed); !status.ok()) {
      const int line = places.GetLocation(Fields().field(i), -1).line + 1;
      return absl::InvalidArgumentError(
          absl::StrCat(file, ":", line, ": ", setting.name(), ": '", setting.ToText(parsed), "' ", status.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadFile(const std::string& file, ServerConfig& config) {
  std::ifstream in(file);
  std::string text;
  char part[4096];
  while (in.is_open() && text.size() <= kMaxFileBytes && (in.read(part, sizeof(part)) || in.gcount() > 0)) {
    text.append(part, static_cast<size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad()) return absl::NotFoundError(absl::StrCat("cannot read the settings file ", file));
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": more than ", kMaxFileBytes, " bytes of settings"));
  }
  return ParseConfigText(file, text, config);
}

void AddSettings(command_line::Flags& flags, ServerConfig& given) {
  for (int i = 0; i < Fields().field_count(); ++i) {
    const Setting setting(*Fields().field(i));
    const auto set = [setting, &given](const std::string& text) {
      absl::Status status = setting.Parse(text, given);
      return status.ok() ? setting.Check(given) : status;
    };
    if (setting.is_switch()) {
      flags.AddSwitch(setting.name(), set, setting.Help());
    } else {
      flags.Add(setting.name(), set, setting.Help(), setting.ToText(ServerConfig()));
    }
  }
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments) {
  CommandLine line;
  ServerConfig given;
  std::string file;
  command_line::Flags flags("aaren-server [--config=FILE] [--NAME=VALUE ...] [--print_config] [--version]",
                            "Serves the models of a folder until SIGTERM or SIGINT.");
  flags.Add("config", &file, "a settings file, with these names; flags win over it");
  flags.Add("print_config", &line.print_config, "print the settings as such a file, and serve nothing");
  flags.AddVersion(absl::StrCat("aaren-server ", version::kVersion));
  AddSettings(flags, given);
  absl::StatusOr<command_line::Parsed> parsed = flags.Parse(arguments);
  if (!parsed.ok()) return parsed.status();
  line.answer = std::move(parsed->answer);
  if (!line.answer.empty()) return line;
  if (!file.empty()) {
    if (absl::Status status = ReadFile(file, line.config); !status.ok()) return status;
  }
  line.config.MergeFrom(given);
  for (int i = 0; i < Fields().field_count(); ++i) Setting(*Fields().field(i)).Fill(line.config);
  return line;
}

absl::Status ParseConfigText(const std::string& file, const std::string& text, ServerConfig& config) {
  FirstError error;
  TextFormat::ParseInfoTree places;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&places);
  ServerConfig parsed;
  if (!parser.ParseFromString(text, &parsed)) return absl::InvalidArgumentError(absl::StrCat(file, error.text()));
  if (absl::Status status = CheckFile(file, parsed, places); !status.ok()) return status;
  config.MergeFrom(parsed);
  return absl::OkStatus();
}

std::string PrintConfig(const ServerConfig& config) {
  std::string text;
  TextFormat::PrintToString(config, &text);
  return text;
}

absl::Duration ToDuration(const std::string& text) {
  absl::Duration duration;
  absl::ParseDuration(text, &duration);
  return duration;
}

}  // namespace aaren::config
