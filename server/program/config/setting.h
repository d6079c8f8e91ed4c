#ifndef AAREN_SERVER_PROGRAM_CONFIG_SETTING_H_
#define AAREN_SERVER_PROGRAM_CONFIG_SETTING_H_

// A Setting is one field of ServerConfig, handled by reflection: parsed from a flag's text, checked against the limits
// in the field's options, described for --help. A new setting is a line in server_config.proto and nothing here.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "server/program/config/server_config.pb.h"

namespace aaren::config {

class Setting {
 public:
  // `field`: a field of ServerConfig.
  explicit Setting(const google::protobuf::FieldDescriptor& field) : field_(field) {}

  const std::string& name() const { return field_.name(); }
  bool is_switch() const { return field_.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_BOOL; }

  // InvalidArgument, as in "is not a number", if the text is no value of the setting's type.
  absl::Status Parse(const std::string& text, ServerConfig& config) const;

  // InvalidArgument, as "is less than 1", naming the limit.
  absl::Status Check(const ServerConfig& config) const;

  // Writes the default into an unset field.
  void Fill(ServerConfig& config) const;

  // The purpose of the setting, with its choices.
  std::string Help() const;

  // The value, or else the default.
  std::string ToText(const ServerConfig& config) const;

 private:
  absl::Status ParseEnum(absl::string_view text, ServerConfig& config) const;
  absl::Status CheckRange(uint64_t value) const;
  absl::Status CheckShare(double value) const;
  uint64_t Number(const ServerConfig& config) const;
  std::string EnumNames() const;

  const google::protobuf::FieldDescriptor& field_;
};

}  // namespace aaren::config

#endif  // AAREN_SERVER_PROGRAM_CONFIG_SETTING_H_
