#ifndef AAREN_CLIENT_CLI_FLAGS_FLAGS_H_
#define AAREN_CLIENT_CLI_FLAGS_FLAGS_H_

// The flags of one subcommand: a table from names to the caller's own variables, which keep their values where a flag
// is not given. Flags are --name=value or --name value; a bool may stand alone; "--" ends them. What is no flag is a
// positional argument.
//
//   Flags flags("fork", "aaren fork ID NEW_ID [--json]", "Copies a session.");
//   bool json = false;
//   flags.Add("json", &json, "one JSON object a line");
//   absl::StatusOr<std::vector<std::string>> positional = flags.Parse(arguments);
//
// Errors are INVALID_ARGUMENT and name the flag and the value; an unknown flag is answered with those that look like
// it. Threading: a plain value.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace aaren::cli {

// What stands behind the name of a subcommand.
using Arguments = absl::Span<const std::string>;

class Flags {
 public:
  // `usage` is the command line in one line; `summary` says what the subcommand does.
  Flags(std::string usage, std::string summary);

  // `value` outlives this.
  void Add(absl::string_view name, bool* value, absl::string_view help);
  void Add(absl::string_view name, uint32_t* value, absl::string_view help);
  void Add(absl::string_view name, int64_t* value, absl::string_view help);
  void Add(absl::string_view name, double* value, absl::string_view help);
  void Add(absl::string_view name, absl::Duration* value, absl::string_view help);  // 500ms, 20s, 5m
  void Add(absl::string_view name, std::string* value, absl::string_view help);
  void Add(absl::string_view name, std::optional<int64_t>* value, absl::string_view help);
  void Add(absl::string_view name, std::optional<double>* value, absl::string_view help);
  void Add(absl::string_view name, std::vector<std::string>* values, absl::string_view help);  // may be repeated

  // Sets the variables; returns the positional arguments. --help or -h anywhere: only help() becomes true.
  absl::StatusOr<std::vector<std::string>> Parse(Arguments arguments);

  bool help() const { return help_; }
  std::string Help() const;

 private:
  struct Flag {
    std::string name;
    std::string help;
    std::string default_text;  // empty: none to show
    bool alone;                // needs no value
    std::function<bool(absl::string_view)> set;
    std::string kind;  // what a value has to be, for errors
  };

  void AddFlag(Flag flag);
  absl::Status Unknown(absl::string_view name) const;
  const Flag* Find(absl::string_view name) const;

  std::string usage_;
  std::string summary_;
  std::vector<Flag> flags_;
  bool help_ = false;
};

// The candidates that `word` may have been meant for, nearest first, at most three.
std::vector<std::string> NearWords(absl::string_view word, absl::Span<const std::string> candidates);

// "; did you mean --a or --b?", or empty.
std::string DidYouMean(absl::string_view word, absl::Span<const std::string> candidates, absl::string_view prefix = "");

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_FLAGS_FLAGS_H_
