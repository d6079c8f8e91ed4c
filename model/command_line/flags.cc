#include "model/command_line/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "absl/flags/marshalling.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "model/command_line/near_words.h"

namespace aaren::command_line {
namespace {

// The indent is the column of the help text that AppendLine prints after a name.
constexpr char kNextLine[] = "\n                       ";  // between the lines of a flag's help

std::string Dashed(absl::string_view name) { return absl::StrCat("--", name); }

// The kind of value that T takes, for errors.
template <typename T>
constexpr absl::string_view Kind() {
  if (std::is_same_v<T, absl::Duration>) return "a duration like 500ms, 20s or 5m";
  if (std::is_unsigned_v<T>) return "a whole number, not negative";
  return std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>> ? "a number" : "a whole number";
}

// True if the text is a whole number, and so too large for T once T failed to read the text.
template <typename T>
// A sign counts for signed types only: "-5" for a count is no number at all, and not a number too large.
bool IsTooLarge(absl::string_view text) {
  if (std::is_signed_v<T>) absl::ConsumePrefix(&text, "-");
  return std::is_integral_v<T> && !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c); });
}

template <typename T>
bool Read(const std::string& text, T& value) {
  // Abseil reads the text, because 010 is ten for Abseil, and not for CLI11 (flags.h).
  std::string error;
  return absl::ParseFlag(text, &value, &error);
}

bool Read(const std::string& text, absl::Duration& value) {
  // Abseil reads "-5s" as a duration; no flag of a program means a time before now.
  return absl::ParseDuration(text, &value) && value >= absl::ZeroDuration();
}

template <typename T>
std::string DefaultText(const T& value) {
  return absl::UnparseFlag(value);
}

std::string DefaultText(absl::Duration value) {
  // An infinite duration stands for no limit, and "inf" in a help text would look like a value to copy.
  return value == absl::InfiniteDuration() ? "" : absl::FormatDuration(value);
}

// Turns --name= into --name and an empty word, because CLI11 takes --name= for a flag whose value is the next word.
std::vector<std::string> WithEmptyValues(Arguments arguments) {
  std::vector<std::string> words;
  bool flags = true;
  for (const std::string& argument : arguments) {
    // Words after "--" are operands, even where an operand looks like a flag.
    flags = flags && argument != "--";
    const bool empty = flags && absl::StartsWith(argument, "--") && argument.find('=') == argument.size() - 1;
    words.push_back(empty ? argument.substr(0, argument.size() - 1) : argument);
    if (empty) words.emplace_back();
  }
  return words;
}

// All options except --help and --version.
std::vector<const CLI::Option*> OptionsOf(const CLI::App& app) {
  return app.get_options(
      [&app](const CLI::Option* option) { return option != app.get_help_ptr() && option != app.get_version_ptr(); });
}

void AppendLine(const std::string& name, const std::string& help, std::string& text) {
  absl::StrAppendFormat(&text, "  %-20s %s", name, absl::StrReplaceAll(help, {{"\n", kNextLine}}));
}

}  // namespace

struct Flags::State {
  explicit State(std::string description) : app(std::move(description)) {}
  CLI::App app;
  absl::Status error;  // the first wrong value
};

// Keeps an error of our own: CLI11's words name the flag or the value, and seldom both.
void Flag::Check(Judge judge) const {
  option_->check([judge = std::move(judge), option = option_, error = error_](const std::string& value) {
    const std::string wrong = judge(value);
    // Update keeps the first error only, so the message is about the first wrong value on the line.
    if (!wrong.empty())
      error->Update(absl::InvalidArgumentError(absl::StrCat(option->get_name(), "=", value, " ", wrong)));
    return wrong;
  });
}

const Flag& Flag::Required() const {
  option_->required();
  return *this;
}

const Flag& Flag::OneOf(const std::vector<std::string>& words) const {
  Check([member = CLI::IsMember(words), words](std::string value) {
    return member(value).empty() ? "" : absl::StrCat("is none of ", absl::StrJoin(words, ", "));
  });
  return *this;
}

const Flag& Flag::Between(int64_t least, int64_t most) const {
  Check([range = CLI::Range(least, most), least, most](std::string value) {
    return range(value).empty() ? "" : absl::StrCat("is not in ", least, " .. ", most);
  });
  return *this;
}

const Flag& Flag::AtLeast(int64_t least) const {
  Check([range = CLI::Range(least, INT64_MAX), least](std::string value) {
    return range(value).empty() ? "" : absl::StrCat("is not at least ", least);
  });
  return *this;
}

const Flag& Flag::Needs(const Flag& other) const {
  option_->needs(other.option_);
  return *this;
}

Flags::Flags(absl::string_view usage, absl::string_view summary)
    : state_(std::make_unique<State>(absl::StrCat(usage, "\n\n", summary, "\n\n"))) {
  state_->app.option_defaults()->take_last();
}

Flags::Flags(Flags&&) noexcept = default;
Flags::~Flags() = default;

Flag Flags::AddOption(absl::string_view name, absl::string_view help, absl::string_view default_text) {
  const auto taken = [](const CLI::results_t&) { return true; };  // each check sets the value itself
  CLI::Option* const option = state_->app.add_option(Dashed(name), taken, std::string(help));
  return Flag(option->default_str(std::string(default_text)), &state_->error);
}

template <typename T>
Flag Flags::Add(absl::string_view name, T* value, absl::string_view help) noexcept {
  const Flag flag = AddOption(name, help, DefaultText(*value));
  flag.Check([value](const std::string& text) {
    if (Read(text, *value)) return std::string();
    return IsTooLarge<T>(text) ? std::string("is too large") : absl::StrCat("is not ", Kind<T>());
  });
  return flag;
}

template <>
Flag Flags::Add(absl::string_view name, bool* value, absl::string_view help) noexcept {
  CLI::Option* const option = state_->app.add_flag(Dashed(name), *value, std::string(help));
  return Flag(option->default_str(*value ? "true" : ""), &state_->error);
}

template <>
Flag Flags::Add(absl::string_view name, std::vector<std::string>* values, absl::string_view help) noexcept {
  CLI::Option* const option = state_->app.add_option(Dashed(name), *values, std::string(help));
  // Without this setting a list would take every following word, operands included.
  return Flag(option->take_all()->allow_extra_args(false), &state_->error);
}

template Flag Flags::Add(absl::string_view, int*, absl::string_view) noexcept;
template Flag Flags::Add(absl::string_view, uint32_t*, absl::string_view) noexcept;
template Flag Flags::Add(absl::string_view, int64_t*, absl::string_view) noexcept;
template Flag Flags::Add(absl::string_view, uint64_t*, absl::string_view) noexcept;
template Flag Flags::Add(absl::string_view, double*, absl::string_view) noexcept;
template Flag Flags::Add(absl::string_view, absl::Duration*, absl::string_view) noexcept;
template Flag Flags::Add(absl::string_view, std::string*, absl::string_view) noexcept;
template Flag Flags::Add(absl::string_view, std::optional<int64_t>*, absl::string_view) noexcept;
template Flag Flags::Add(absl::string_view, std::optional<double>*, absl::string_view) noexcept;

Flag Flags::Add(absl::string_view name, std::function<absl::Status(const std::string&)> set, absl::string_view help,
                absl::string_view default_text) noexcept {
  const Flag flag = AddOption(name, help, default_text);
  flag.Check([set = std::move(set)](const std::string& text) { return std::string(set(text).message()); });
  return flag;
}

Flag Flags::AddSwitch(absl::string_view name, std::function<absl::Status(const std::string&)> set,
                      absl::string_view help) noexcept {
  const std::string description(help);
  const Flag flag(state_->app.add_flag(Dashed(name), description), &state_->error);
  flag.Check([set = std::move(set)](const std::string& text) { return std::string(set(text).message()); });
  return flag;
}

void Flags::AddVersion(absl::string_view text) noexcept {
  state_->app.set_version_flag("--version", std::string(text));
}

void Flags::AddVerb(absl::string_view name, const std::vector<std::string>& operands, absl::string_view help) noexcept {
  CLI::App* const verb = state_->app.add_subcommand(std::string(name), std::string(help));
  // Falling through lets a verb share the program's flags.
  verb->fallthrough()->set_help_flag();
  for (const std::string& operand : operands) verb->add_option(operand)->required();
  // A program with verbs may run without a verb, until RequireVerb says otherwise.
  state_->app.require_subcommand(0, 1);
}

void Flags::RequireVerb() noexcept { state_->app.require_subcommand(1); }

absl::StatusOr<Parsed> Flags::Parse(Arguments arguments) {
  std::vector<std::string> words = WithEmptyValues(arguments);
  // Parse may run again on the same flags, and an old error must not return.
  state_->error = absl::OkStatus();
  std::reverse(words.begin(), words.end());  // CLI11 takes the words from the back
  try {
    state_->app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return Parsed{.answer = Help(), .verb = "", .operands = {}};
  } catch (const CLI::CallForVersion& version) {
    return Parsed{.answer = absl::StrCat(version.what(), "\n"), .verb = "", .operands = {}};
    // The mismatch of CLI11 names the flag before a colon; the rest is in CLI11's own words.
  } catch (const CLI::ArgumentMismatch& error) {
    const absl::string_view text = error.what();
    return absl::InvalidArgumentError(absl::StrCat(text.substr(0, text.find(':')), " needs a value"));
  } catch (const CLI::ParseError& error) {
    if (state_->app.remaining_size(/*recurse=*/true) > 0) return Unknown();  // an unknown word explains a missing one
    // A wrong value has been described by a check already, in better words than those of CLI11.
    return state_->error.ok() ? absl::InvalidArgumentError(error.what()) : state_->error;
  }
  Parsed parsed;
  for (const CLI::App* verb : state_->app.get_subcommands()) {
    parsed.verb = verb->get_name();
    for (const CLI::Option* operand : verb->get_options()) parsed.operands.push_back(operand->results().front());
  }
  return parsed;
}

absl::Status Flags::Unknown() const {
  const std::vector<std::string> words = state_->app.remaining(/*recurse=*/true);
  // CLI11 leaves "--" among the remaining words, and the word that follows is the unknown one.
  const bool behind_dashes = words.front() == "--";
  const std::string& word = words[behind_dashes ? 1 : 0];
  if (!behind_dashes && absl::StartsWith(word, "--")) return UnknownFlag(word.substr(0, word.find('=')));
  std::vector<std::string> verbs;
  for (const CLI::App* verb : state_->app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (verbs.empty()) return absl::InvalidArgumentError(absl::StrCat("\"", word, "\" is not a flag"));
  const bool has_verb = !state_->app.get_subcommands().empty();
  return absl::InvalidArgumentError(has_verb
                                        ? absl::StrCat("\"", word, "\" is one word too many")
                                        : absl::StrCat("unknown subcommand \"", word, "\"", DidYouMean(word, verbs)));
}

absl::Status Flags::UnknownFlag(const std::string& name) const {
  std::vector<std::string> names;
  for (const CLI::Option* option : OptionsOf(state_->app)) names.push_back(option->get_name());
  const std::string near = DidYouMean(name, names);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown flag ", name, near.empty() ? "; --help lists the flags" : near));
}

std::string Flags::Help() const {
  std::string text = state_->app.get_description();
  for (const CLI::App* verb : state_->app.get_subcommands({})) {
    std::string name = verb->get_name();
    // CLI11's own help has another form, so names and operands are put together here.
    for (const CLI::Option* operand : verb->get_options()) absl::StrAppend(&name, " ", operand->get_name());
    AppendLine(name, verb->get_description(), text);
    text += '\n';
  }
  for (const CLI::Option* option : OptionsOf(state_->app)) {
    AppendLine(option->get_name(), option->get_description(), text);
    const std::string standard = option->get_default_str();
    absl::StrAppend(&text, standard.empty() ? "" : absl::StrCat(" (default ", standard, ")"), "\n");
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> Flags::Values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const CLI::Option* option : OptionsOf(state_->app)) {
    values.emplace_back(option->get_name().substr(2),
                        option->empty() ? option->get_default_str() : option->results().back());
  }
  return values;
}

bool ParseBytes(const std::string& text, uint64_t& bytes) {
  const size_t unit = std::min(text.find_first_not_of("0123456789"), text.size());
  uint64_t count = 0;
  // Abseil reads the count, so 010 bytes are ten here, too.
  if (!absl::SimpleAtoi(text.substr(0, unit), &count)) return false;
  std::string size = absl::StrCat(count, text.substr(unit));
  // CLI11 throws for an unknown unit, and where the product of count and unit overflows.
  try {
    return CLI::AsSizeValue(/*kb_is_1000=*/true)(size).empty() && absl::SimpleAtoi(size, &bytes);
  } catch (const CLI::ValidationError&) {
    return false;
  }
}

}  // namespace aaren::command_line
