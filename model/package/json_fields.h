#ifndef AAREN_MODEL_PACKAGE_JSON_FIELDS_H_
#define AAREN_MODEL_PACKAGE_JSON_FIELDS_H_

// JsonFields reads the fields of one JSON object strictly: each field must be present, of the right type, and known.
//
// A Read never fails by itself. The first fault is kept, and Finish returns the fault, so that a reader is a plain list
// of fields. A Read that fails leaves unspecified content in its target.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::package {

// Parses a whole text. InvalidArgument with the position if the text is no JSON, repeats a key, or nests deeper than
// 16.
absl::StatusOr<nlohmann::json> ParseJson(absl::string_view text);

class JsonFields {
 public:
  // `path` names the object in messages; empty for the outermost object. REQUIRES: `value` outlives this object.
  JsonFields(const nlohmann::json& value, std::string path);

  void Read(const std::string& name, bool& target);
  void Read(const std::string& name, int& target);
  void Read(const std::string& name, std::string& target);
  void Read(const std::string& name, std::vector<int64_t>& target);  // not negative
  void Read(const std::string& name, std::vector<float>& target);
  void Read(const std::string& name, std::vector<double>& target);
  void Read(const std::string& name, std::vector<std::string>& target);
  void Read(const std::string& name, std::map<std::string, std::string>& target);

  // The value of a field, of any type; a null value if the field is missing.
  const nlohmann::json& Take(const std::string& name);

  // InvalidArgument naming the first field that is missing, of the wrong type, or (checked last) never read.
  absl::Status Finish() const;

 private:
  template <typename T>
  void ReadNumbers(const std::string& name, std::vector<T>& target);
  void Fail(const std::string& name, absl::string_view message);

  const nlohmann::json& value_;
  std::string path_;
  std::set<std::string> known_;
  absl::Status status_;
};

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_JSON_FIELDS_H_
