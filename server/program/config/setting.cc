#include "server/program/config/setting.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "model/command_line/flags.h"

namespace aaren::config {
namespace {

using google::protobuf::FieldDescriptor;

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

}  // namespace

absl::Status Setting::Parse(const std::string& text, ServerConfig& config) const {
  const auto& reflection = *config.GetReflection();
  uint64_t number = 0;
  switch (field_.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      reflection.SetString(&config, &field_, text);
      return absl::OkStatus();
    case FieldDescriptor::CPPTYPE_ENUM:
      return ParseEnum(text, config);
    case FieldDescriptor::CPPTYPE_BOOL:
      if (text != "true" && text != "false") return Invalid("is neither true nor false");
      reflection.SetBool(&config, &field_, text == "true");
      return absl::OkStatus();
    case FieldDescriptor::CPPTYPE_UINT32:
      if (!absl::SimpleAtoi(text, &number) || number > UINT32_MAX) break;
      reflection.SetUInt32(&config, &field_, static_cast<uint32_t>(number));
      return absl::OkStatus();
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      double share = 0;
      if (!absl::SimpleAtod(text, &share)) break;
      reflection.SetDouble(&config, &field_, share);
      return absl::OkStatus();
    }
    default:
      if (field_.options().GetExtension(size) && !command_line::ParseBytes(text, number)) {
        return Invalid("is not a size such as 4096, 512MiB or 2GB");
      }
      if (!field_.options().GetExtension(size) && !absl::SimpleAtoi(text, &number)) break;
      reflection.SetUInt64(&config, &field_, number);
      return absl::OkStatus();
  }
  return Invalid("is not a number that it can be");
}

absl::Status Setting::ParseEnum(absl::string_view text, ServerConfig& config) const {
  const auto* value = field_.enum_type()->FindValueByName(absl::AsciiStrToUpper(text));
  if (value == nullptr) return Invalid("is none of ", EnumNames());
  config.GetReflection()->SetEnum(&config, &field_, value);
  return absl::OkStatus();
}

absl::Status Setting::Check(const ServerConfig& config) const {
  if (field_.cpp_type() == FieldDescriptor::CPPTYPE_UINT32 || field_.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
    return CheckRange(Number(config));
  }
  if (field_.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    return CheckShare(config.GetReflection()->GetDouble(config, &field_));
  }
  if (!field_.options().GetExtension(duration)) return absl::OkStatus();
  const std::string text = config.GetReflection()->GetString(config, &field_);
  absl::Duration parsed;
  if (!absl::ParseDuration(text, &parsed) || parsed < absl::ZeroDuration()) {
    return Invalid("is not a duration such as 500ms, 20s or 1h30m");
  }
  // Clocks count nanoseconds, 292 years of them.
  if (parsed > absl::Hours(24 * 365 * 100)) return Invalid("is more than 100 years");
  return absl::OkStatus();
}

// Every fractional setting is a share.
absl::Status Setting::CheckShare(double value) const {
  return value >= 0 && value <= 1 ? absl::OkStatus() : Invalid("is not between 0 and 1");
}

absl::Status Setting::CheckRange(uint64_t value) const {
  const auto& options = field_.options();
  if (options.HasExtension(min) && value < options.GetExtension(min)) {
    return Invalid("is less than ", options.GetExtension(min));
  }
  if (options.HasExtension(max) && value > options.GetExtension(max)) {
    return Invalid("is more than ", options.GetExtension(max));
  }
  return absl::OkStatus();
}

uint64_t Setting::Number(const ServerConfig& config) const {
  const auto& reflection = *config.GetReflection();
  return field_.cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ? reflection.GetUInt32(config, &field_)
                                                              : reflection.GetUInt64(config, &field_);
}

std::string Setting::ToText(const ServerConfig& config) const {
  const auto& reflection = *config.GetReflection();
  if (field_.cpp_type() == FieldDescriptor::CPPTYPE_STRING) return reflection.GetString(config, &field_);
  if (field_.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    return absl::AsciiStrToLower(reflection.GetEnum(config, &field_)->name());
  }
  if (is_switch()) return reflection.GetBool(config, &field_) ? "true" : "false";
  if (field_.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
    return nlohmann::json(reflection.GetDouble(config, &field_)).dump();  // the shortest text that reads back equal
  }
  return absl::StrCat(Number(config));
}

void Setting::Fill(ServerConfig& config) const {
  if (config.GetReflection()->HasField(config, &field_)) return;
  // Reading gives the default, and every field's text can be parsed.
  (void)Parse(ToText(config), config);
}

std::string Setting::EnumNames() const {
  std::vector<std::string> names;
  for (int i = 0; i < field_.enum_type()->value_count(); ++i) {
    names.push_back(absl::AsciiStrToLower(field_.enum_type()->value(i)->name()));
  }
  return absl::StrJoin(names, "|");
}

std::string Setting::Help() const {
  const std::string& text = field_.options().GetExtension(help);
  return field_.cpp_type() == FieldDescriptor::CPPTYPE_ENUM ? absl::StrCat(text, ": ", EnumNames()) : text;
}

}  // namespace aaren::config
