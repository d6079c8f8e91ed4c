#include "model/package/json_fields.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::package {
namespace {

using nlohmann::json;

// A manifest and a header nest three levels deep.
constexpr int kMaxDepth = 16;

const json& Null() {
  static const json null;
  return null;
}

// The parser keeps numbers without a sign as uint64 and numbers with a sign as int64. Comparing such numbers as JSON
// would wrap around, so each kind is compared in its own type.
template <typename T>
bool FitsIn(const json& value) {
  if (value.is_number_unsigned()) return std::in_range<T>(value.get<uint64_t>());
  return value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
}

// Sees every key while the text is parsed. After the parse a repeated key has already replaced the first.
class KeyWatcher {
 public:
  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kMaxDepth) Fail(absl::StrCat("nests deeper than ", kMaxDepth));
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second) {
      Fail(absl::StrCat("repeats the key \"", parsed.get<std::string>(), "\""));
    }
    // The answer of a callback keeps or drops a value, and cannot end the parse. ParseJson asks for faults afterwards.
    return true;
  }

  const absl::Status& status() const { return status_; }

 private:
  void Fail(absl::string_view message) { status_.Update(absl::InvalidArgumentError(message)); }

  std::vector<std::set<std::string>> keys_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<json> ParseJson(absl::string_view text) {
  KeyWatcher watcher;
  try {
    json value = json::parse(
        text, [&](int depth, json::parse_event_t event, json& parsed) { return watcher(depth, event, parsed); });
    // A fault that the watcher saw comes before the value, because a repeated key leaves a value that looks right.
    if (!watcher.status().ok()) return watcher.status();
    return value;
    // The exceptions of nlohmann-json end here; other folders see statuses only.
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("is not JSON: ", error.what()));
  }
}

JsonFields::JsonFields(const json& value, std::string path) : value_(value), path_(std::move(path)) {
  if (!value.is_object()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(path_.empty() ? "the text" : path_, " is a JSON ", value.type_name(), ", not an object"));
  }
}

const json& JsonFields::Take(const std::string& name) {
  known_.insert(name);
  // A value that is no object has been reported by the constructor; a report for each field would hide the cause.
  if (!value_.is_object()) return Null();
  const auto found = value_.find(name);
  if (found != value_.end()) return *found;
  Fail(name, "is missing");
  return Null();
}

void JsonFields::Read(const std::string& name, bool& target) {
  const json& value = Take(name);
  if (!value.is_boolean()) return Fail(name, absl::StrCat("is ", value.dump(), ", not true or false"));
  target = value.get<bool>();
}

void JsonFields::Read(const std::string& name, int& target) {
  const json& value = Take(name);
  if (!FitsIn<int>(value)) return Fail(name, absl::StrCat("is ", value.dump(), ", not a 32-bit integer"));
  target = value.get<int>();
}

void JsonFields::Read(const std::string& name, std::string& target) {
  const json& value = Take(name);
  if (!value.is_string()) return Fail(name, absl::StrCat("is ", value.dump(), ", not a string"));
  target = value.get<std::string>();
}

void JsonFields::Read(const std::string& name, std::vector<int64_t>& target) {
  const json& value = Take(name);
  if (!value.is_array()) return Fail(name, absl::StrCat("is ", value.dump(), ", not an array of integers"));
  target.clear();
  for (const json& item : value) {
    // Lists of integers are shapes and offsets, which are never negative.
    if (!item.is_number_unsigned() || !FitsIn<int64_t>(item))
      return Fail(name, absl::StrCat("holds ", item.dump(), ", not a non-negative integer"));
    target.push_back(item.get<int64_t>());
  }
}

void JsonFields::Read(const std::string& name, std::vector<float>& target) { ReadNumbers(name, target); }
void JsonFields::Read(const std::string& name, std::vector<double>& target) { ReadNumbers(name, target); }

template <typename T>
void JsonFields::ReadNumbers(const std::string& name, std::vector<T>& target) {
  const json& value = Take(name);
  if (!value.is_array()) return Fail(name, absl::StrCat("is ", value.dump(), ", not an array of numbers"));
  target.clear();
  for (const json& item : value) {
    if (!item.is_number()) return Fail(name, absl::StrCat("holds ", item.dump(), ", not a number"));
    target.push_back(item.get<T>());
  }
}

void JsonFields::Read(const std::string& name, std::vector<std::string>& target) {
  const json& value = Take(name);
  if (!value.is_array()) return Fail(name, absl::StrCat("is ", value.dump(), ", not an array of strings"));
  target.clear();
  for (const json& item : value) {
    if (!item.is_string()) return Fail(name, absl::StrCat("holds ", item.dump(), ", not a string"));
    target.push_back(item.get<std::string>());
  }
}

void JsonFields::Read(const std::string& name, std::map<std::string, std::string>& target) {
  const json& value = Take(name);
  if (!value.is_object()) return Fail(name, absl::StrCat("is ", value.dump(), ", not an object of strings"));
  target.clear();
  for (const auto& [key, item] : value.items()) {
    if (!item.is_string())
      return Fail(absl::StrCat(name, ".", key), absl::StrCat("is ", item.dump(), ", not a string"));
    target[key] = item.get<std::string>();
  }
}

absl::Status JsonFields::Finish() const {
  if (!status_.ok()) return status_;
  // An unknown field is refused, because a field that nobody reads is a typing error that nobody notices.
  for (const auto& [key, item] : value_.items()) {
    if (known_.count(key) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown field ", path_.empty() ? "" : path_ + ".", key, " = ", item.dump()));
    }
  }
  return absl::OkStatus();
}

void JsonFields::Fail(const std::string& name, absl::string_view message) {
  status_.Update(absl::InvalidArgumentError(absl::StrCat(path_.empty() ? "" : path_ + ".", name, " ", message)));
}

}  // namespace aaren::package
