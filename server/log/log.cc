#include "server/log/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace aaren {
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

std::string JsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// As it is where that is unmistakable, else quoted.
std::string PlainText(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_of(" =\"\\") == std::string::npos;
  const std::string escaped = absl::Utf8SafeCEscape(text);
  return plain && escaped == text ? escaped : absl::StrCat("\"", escaped, "\"");
}

}  // namespace

void SetUpLog(LogFormat format, LogLevel least) {
  json = format == LogFormat::kJson;
  Logger().set_level(ToSpdlog(least));
  Logger().set_pattern(json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc);
}

void Log(LogLevel level, std::string_view event,
         std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  if (!Logger().should_log(ToSpdlog(level))) return;
  std::string line = json ? absl::StrCat("\"event\":", JsonText(event)) : std::string(event);
  for (const auto& [name, value] : fields) {
    if (json) {
      absl::StrAppend(&line, ",", JsonText(name), ":", JsonText(value));
    } else {
      absl::StrAppend(&line, " ", std::string(name), "=", PlainText(value));
    }
  }
  Logger().log(ToSpdlog(level), "{}", line);
}

}  // namespace aaren
