#include "server/sessions/models/model_labels.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "model/package/package.h"

namespace aaren::models {
namespace {

constexpr size_t kMostLabels = 1024;  // four times as many as models

absl::StatusOr<double> ParseShare(absl::string_view text) {
  double percent = 0;
  if (!absl::ConsumeSuffix(&text, "%") || !absl::SimpleAtod(text, &percent) || !(percent >= 0 && percent <= 100))
    return absl::InvalidArgumentError("a share is a percentage from 0% to 100%");
  return percent / 100;
}

absl::Status ParseLine(absl::string_view line, ModelLabels& labels) {
  const std::vector<std::string> words =
      absl::StrSplit(line.substr(0, line.find('#')), absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
  if (words.empty()) return absl::OkStatus();
  if (words.size() < 2 || words.size() > 3)
    return absl::InvalidArgumentError("a line is NAME@LABEL VERSION, and perhaps a share");
  const std::pair<std::string, std::string> key = absl::StrSplit(words[0], absl::MaxSplits('@', 1));
  for (const std::string& part : {key.first, key.second}) {
    if (absl::Status status = package::CheckName(part); !status.ok()) return status;
  }
  ModelLabel label;
  if (!absl::SimpleAtoi(words[1], &label.version) || label.version < 1)
    return absl::InvalidArgumentError(absl::StrCat("'", words[1], "' is no version"));
  if (words.size() == 3) {
    const absl::StatusOr<double> share = ParseShare(words[2]);
    if (!share.ok()) return share.status();
    // DrawOf gives a session one number: two shares of a name would overlap.
    if (labels.Shared(key.first) != nullptr)
      return absl::InvalidArgumentError(absl::StrCat("another label of ", key.first, " has a share already"));
    label.share = *share;
  }
  if (!labels.by_name.emplace(key, label).second)
    return absl::InvalidArgumentError(absl::StrCat(words[0], " is there twice"));
  // Checked at each line: a long file ends here, and not in memory.
  if (labels.by_name.size() > kMostLabels)
    return absl::InvalidArgumentError(absl::StrCat("more than ", kMostLabels, " labels"));
  return absl::OkStatus();
}

}  // namespace

const ModelLabel* ModelLabels::Find(const std::string& name, const std::string& label) const {
  const auto found = by_name.find({name, label});
  return found == by_name.end() ? nullptr : &found->second;
}

const ModelLabel* ModelLabels::Shared(const std::string& name) const {
  for (auto next = by_name.lower_bound({name, ""}); next != by_name.end() && next->first.first == name; ++next) {
    if (next->second.share > 0) return &next->second;
  }
  return nullptr;
}

absl::StatusOr<ModelLabels> ParseLabels(absl::string_view text) {
  ModelLabels labels;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::Status status = ParseLine(line, labels); !status.ok())
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", status.message()));
  }
  return labels;
}

// FNV-1a, and a multiplication to spread the low bits: code of our own, since servers sharing sessions must agree.
double DrawOf(absl::string_view session_key) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : session_key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9;
  // A double has 53 bits of mantissa: the upper bits make a number below 1, without rounding.
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

}  // namespace aaren::models
