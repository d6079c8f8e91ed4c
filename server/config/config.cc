#include "server/config/config.h"

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "server/config/setting.h"

namespace aaren::config {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::TextFormat;

const Descriptor& Fields() { return *ServerConfig::descriptor(); }

// Keeps the first error and where it is.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(":", line + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status CheckAll(const ServerConfig& config) {
  for (int i = 0; i < Fields().field_count(); ++i) {
    if (absl::Status status = Setting(*Fields().field(i)).Check(config); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckFile(const std::string& file, const ServerConfig& parsed, const TextFormat::ParseInfoTree& places) {
  for (int i = 0; i < Fields().field_count(); ++i) {
    if (absl::Status status = Setting(*Fields().field(i)).Check(parsed); !status.ok()) {
      const int line = places.GetLocation(Fields().field(i), -1).line + 1;
      return absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadFile(const std::string& file, ServerConfig& config) {
  std::ifstream in(file);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) return absl::NotFoundError(absl::StrCat("cannot read the settings file ", file));
  return ParseConfigText(file, text.str(), config);
}

absl::Status ParseFlag(absl::string_view flag, ServerConfig& flags, std::string& file) {
  const size_t equals = flag.find('=');
  const std::string name(flag.substr(0, equals));
  const auto* field = Fields().FindFieldByName(name);
  if (field == nullptr && name != "config") {
    return absl::InvalidArgumentError(absl::StrCat("unknown flag --", name, "; --help lists them"));
  }
  if (equals == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("--", name, " needs a value: --", name, "=VALUE"));
  }
  const absl::string_view value = flag.substr(equals + 1);
  if (field != nullptr) return Setting(*field).Parse(value, flags);
  file = std::string(value);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments) {
  CommandLine line;
  ServerConfig flags;
  std::string file;
  for (const std::string& argument : arguments) {
    absl::string_view flag = argument;
    if (argument == "--print_config") {
      line.print_config = true;
    } else if (argument == "--help") {
      line.help = true;
    } else if (argument == "--version") {
      line.version = true;
    } else if (!absl::ConsumePrefix(&flag, "--")) {
      return absl::InvalidArgumentError(absl::StrCat("unexpected argument '", argument, "'"));
    } else if (absl::Status status = ParseFlag(flag, flags, file); !status.ok()) {
      return status;
    }
  }
  if (!file.empty()) {
    if (absl::Status status = ReadFile(file, line.config); !status.ok()) return status;
  }
  line.config.MergeFrom(flags);
  for (int i = 0; i < Fields().field_count(); ++i) Setting(*Fields().field(i)).Fill(line.config);
  if (absl::Status status = CheckAll(line.config); !status.ok()) return status;
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

std::string SettingsHelp() {
  std::string text;
  for (int i = 0; i < Fields().field_count(); ++i) {
    absl::StrAppend(&text, Setting(*Fields().field(i)).Help(), "\n");
  }
  return text;
}

absl::Duration ToDuration(const std::string& text) {
  absl::Duration duration;
  absl::ParseDuration(text, &duration);
  return duration;
}

}  // namespace aaren::config
