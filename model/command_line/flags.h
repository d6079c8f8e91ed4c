#ifndef AAREN_MODEL_COMMAND_LINE_FLAGS_H_
#define AAREN_MODEL_COMMAND_LINE_FLAGS_H_

// The command line of a program or of a subcommand, parsed by CLI11. Flags are bound to the caller's own variables. A
// variable keeps its value if its flag is not given. A flag is --name=value or --name value; a bool may stand alone.
// The last value of a repeated flag counts. "--" ends the flags.
//
//   Flags flags("aaren fork [flags]", "Copies a session.");
//   bool json = false;
//   flags.Add("json", &json, "one JSON object a line");
//   const absl::StatusOr<Parsed> parsed = flags.Parse(arguments);
//   if (parsed.ok() && !parsed->answer.empty()) return std::fputs(parsed->answer.c_str(), stdout), 0;
//
// A program may have verbs with operands; verbs share the program's flags: `aaren sessions export ID --output=FILE`.
//
// Only flags.cc includes CLI11, because every file that includes CLI11 takes 12 s more to compile. CLI11's exceptions
// end in flags.cc. Abseil reads the values, because for Abseil 010 is ten, and for CLI11 is not.
//
// Threading: a plain value. A name added twice ends the program, because the mistake is the program's own.

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

// The words after a program's or a subcommand's name.
using Arguments = absl::Span<const std::string>;

struct Parsed {
  std::string answer;  // text that --help or --version prints instead of any other work; else empty
  std::string verb;    // empty if no verb was given
  std::vector<std::string> operands;
};

class Flags;

// Further requirements on a flag that was added. REQUIRES: the Flags outlive this object.
class Flag {
 public:
  const Flag& Required() const;
  const Flag& OneOf(const std::vector<std::string>& words) const;
  const Flag& Between(int64_t least, int64_t most) const;  // both ends are allowed
  const Flag& AtLeast(int64_t least) const;
  const Flag& Needs(const Flag& other) const;

 private:
  friend class Flags;
  // Returns what is wrong with a value, like "is not a number", or an empty text.
  using Judge = std::function<std::string(const std::string& value)>;

  Flag(CLI::Option* option, absl::Status* error) : option_(option), error_(error) {}
  void Check(Judge judge) const;

  CLI::Option* option_;
  absl::Status* error_;  // belongs to the Flags
};

class Flags {
 public:
  // `usage` is the command line in one line; `summary` says what the program does.
  Flags(absl::string_view usage, absl::string_view summary);
  Flags(Flags&&) noexcept;
  ~Flags();

  // Adds a flag for a variable. REQUIRES: `value` outlives this object. T is bool, int, uint32_t, int64_t, uint64_t,
  // double, absl::Duration (not negative), std::string, std::optional of int64_t or double, or
  // std::vector<std::string>. Each repetition of the flag adds to a vector.
  template <typename T>
  Flag Add(absl::string_view name, T* value, absl::string_view help) noexcept;

  // Adds a flag without a variable: `set` takes the value, or says what is wrong with the value, like "is not a
  // number".
  Flag Add(absl::string_view name, std::function<absl::Status(const std::string&)> set, absl::string_view help,
           absl::string_view default_text) noexcept;

  // Adds a flag without a variable that may also stand without a value; `set` then gets "true".
  Flag AddSwitch(absl::string_view name, std::function<absl::Status(const std::string&)> set,
                 absl::string_view help) noexcept;

  // Adds --version, which prints the text.
  void AddVersion(absl::string_view text) noexcept;

  // Adds a verb. `operands` are the names of the words that must follow the verb.
  void AddVerb(absl::string_view name, const std::vector<std::string>& operands, absl::string_view help) noexcept;
  void RequireVerb() noexcept;

  // Sets the variables. InvalidArgument names the flag and the value; for an unknown word the error names similar
  // words.
  absl::StatusOr<Parsed> Parse(Arguments arguments);

  // The text that --help prints.
  std::string Help() const;

  // Each flag with its value, or with its default if the flag was not given.
  std::vector<std::pair<std::string, std::string>> Values() const;

 private:
  struct State;

  Flag AddOption(absl::string_view name, absl::string_view help, absl::string_view default_text);
  absl::Status Unknown() const;
  absl::Status UnknownFlag(const std::string& name) const;

  std::unique_ptr<State> state_;
};

// Reads a number of bytes: 4096, 512MiB, 2GB, 2G, 2Gi. False if the text is no such number, or the number is too large.
bool ParseBytes(const std::string& text, uint64_t& bytes);

}  // namespace aaren::command_line

#endif  // AAREN_MODEL_COMMAND_LINE_FLAGS_H_
