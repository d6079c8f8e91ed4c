#include "server/operate/log/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/operate/log/log_rate.h"

namespace aaren::log {
namespace {

constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
constexpr char kJsonPattern[] = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

std::atomic<bool> json{false};

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

spdlog::logger& Logger() {
  static spdlog::logger& logger = *[] {
    auto* made =
        new spdlog::logger("aaren", std::make_shared<spdlog::sinks::stderr_sink_mt>());  // outlives all threads
    made->set_level(spdlog::level::warn);
    made->set_pattern(kTextPattern, spdlog::pattern_time_type::utc);
    return made;
  }();
  return logger;
}

int64_t MonotonicNs() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

std::string JsonText(std::string_view text) {
  // By default nlohmann-json throws at bytes that are no UTF-8.
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// The text itself where unmistakable, else quoted.
std::string PlainText(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_of(" =\"\\") == std::string::npos;
  const std::string escaped = absl::Utf8SafeCEscape(text);
  return plain && escaped == text ? escaped : absl::StrCat("\"", escaped, "\"");
}

void AppendField(std::string_view name, const std::string& value, std::string& line) {
  if (json) {
    absl::StrAppend(&line, ",", JsonText(name), ":", JsonText(value));
  } else {
    absl::StrAppend(&line, " ", std::string(name), "=", PlainText(value));
  }
}

}  // namespace

void SetUpLog(LogFormat format, LogLevel least) {
  json = format == LogFormat::kJson;
  Logger().set_level(ToSpdlog(least));
  Logger().set_pattern(json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc);
}

void Log(LogLevel level, std::string_view event,
         std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  static LogRate& rate = *new LogRate;  // outlives all threads
  // The level comes first: lines that nobody sees do not use up the event's lines of the second.
  if (!Logger().should_log(ToSpdlog(level))) return;
  const std::optional<uint64_t> left_out = rate.Admit(event, MonotonicNs());
  if (!left_out) return;
  std::string line = json ? absl::StrCat("\"event\":", JsonText(event)) : std::string(event);
  for (const auto& [name, value] : fields) AppendField(name, value, line);
  if (*left_out > 0) AppendField("left_out", absl::StrCat(*left_out), line);
  // The line is an argument: spdlog would take braces in a value for places of arguments.
  Logger().log(ToSpdlog(level), "{}", line);
}

}  // namespace aaren::log
