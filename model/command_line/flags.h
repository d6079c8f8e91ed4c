#ifndef AAREN_MODEL_COMMAND_LINE_FLAGS_H_
#define AAREN_MODEL_COMMAND_LINE_FLAGS_H_

// The command line of a program or of a subcommand, by CLI11. Flags are bound to the caller's own variables, which keep
// their values where a flag is not given. A flag is --name=value or --name value; a bool may stand alone. Of a
// flag that is repeated the last one holds. "--" ends the flags.
//
//   Flags flags("aaren fork [flags]", "Copies a session.");
//   bool json = false;
//   flags.Add("json", &json, "one JSON object a line");
//   const absl::StatusOr<Parsed> parsed = flags.Parse(arguments);
//   if (parsed.ok() && !parsed->answer.empty()) return std::fputs(parsed->answer.c_str(), stdout), 0;
//
// A program may have verbs, each with its operands, which share its flags: `aaren sessions export ID --output=FILE`.
//
// CLI11 is seen in flags.cc alone: it takes 12 s to compile, at every place that includes it. Its exceptions end there.
// Values are read by Abseil, for which 010 is ten, as it is not for CLI11.
//
// Threading: a plain value. What is added twice ends the program: that is our own mistake.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace CLI {
class Option;
}  // namespace CLI

namespace aaren::command_line {

// What stands behind a program's or a subcommand's name.
using Arguments = absl::Span<const std::string>;

struct Parsed {
  std::string answer;  // what --help or --version asks to print, instead of anything else; empty: nothing
  std::string verb;    // empty: none was given
  std::vector<std::string> operands;
};

class Flags;

// What more is asked of a flag that was added. It does not outlive its Flags.
class Flag {
 public:
  const Flag& Required() const;
  const Flag& OneOf(const std::vector<std::string>& words) const;
  const Flag& Between(int64_t least, int64_t most) const;  // both are allowed
  const Flag& AtLeast(int64_t least) const;
  const Flag& Needs(const Flag& other) const;

 private:
  friend class Flags;
  // Says of a value what is wrong with it, as "is not a number"; empty: nothing.
  using Judge = std::function<std::string(const std::string& value)>;

  Flag(CLI::Option* option, absl::Status* error) : option_(option), error_(error) {}
  void Check(Judge judge) const;

  CLI::Option* option_;
  absl::Status* error_;  // of its Flags
};

class Flags {
 public:
  // `usage` is the command line in one line; `summary` says what it does.
  Flags(absl::string_view usage, absl::string_view summary);
  Flags(Flags&&) noexcept;
  ~Flags();

  // `value` outlives this. T is bool, int, uint32_t, int64_t, uint64_t, double, absl::Duration that is not negative,
  // std::string, std::optional of int64_t or double, or std::vector<std::string>, to which each repetition adds.
  template <typename T>
  Flag Add(absl::string_view name, T* value, absl::string_view help) noexcept;

  // A flag that is no variable: `set` takes its value, or says what is wrong with it, as "is not a number".
  Flag Add(absl::string_view name, std::function<absl::Status(const std::string&)> set, absl::string_view help,
           absl::string_view default_text) noexcept;

  // As above, but the flag may stand without a value: "true" is then its text.
  Flag AddSwitch(absl::string_view name, std::function<absl::Status(const std::string&)> set,
                 absl::string_view help) noexcept;

  // --version answers with it.
  void AddVersion(absl::string_view text) noexcept;

  // `operands` are what to call the words that have to follow.
  void AddVerb(absl::string_view name, const std::vector<std::string>& operands, absl::string_view help) noexcept;
  void RequireVerb() noexcept;

  // Sets the variables. InvalidArgument names the flag and its value; what is unknown is answered with what looks like
  // it.
  absl::StatusOr<Parsed> Parse(Arguments arguments);

  // What --help prints.
  std::string Help() const;

  // Each flag with its value, or with its default where it was not given.
  std::vector<std::pair<std::string, std::string>> Values() const;

 private:
  struct State;

  Flag AddOption(absl::string_view name, absl::string_view help, absl::string_view default_text);
  absl::Status Unknown() const;
  absl::Status UnknownFlag(const std::string& name) const;

  std::unique_ptr<State> state_;
};

// A number of bytes: 4096, 512MiB, 2GB, 2G, 2Gi. False if it is none, or too large.
bool ParseBytes(const std::string& text, uint64_t& bytes);

}  // namespace aaren::command_line

#endif  // AAREN_MODEL_COMMAND_LINE_FLAGS_H_
