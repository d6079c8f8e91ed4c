#ifndef AAREN_SERVER_OPERATE_LOG_LOG_H_
#define AAREN_SERVER_OPERATE_LOG_LOG_H_

// The server's log: one event a line on standard error, with named fields.
//
//   text  2026-01-31T12:00:00.000Z info listening address=127.0.0.1:7860 shards=2
//   json {"time":"2026-01-31T12:00:00.000Z","level":"info","event":"listening","address":"127.0.0.1:7860","shards":"2"}
//
// Never on the path of a token. Threading: any thread may log; SetUpLog comes first.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace aaren::log {

enum class LogFormat { kText, kJson };
enum class LogLevel { kDebug, kInfo, kWarning, kError };

// Before SetUpLog, the log is text at level warning and above.
void SetUpLog(LogFormat format, LogLevel least);

// Values may hold anything: they are quoted and escaped as the format needs. At most a hundred lines a second of one
// event are written; the next line then has the number of lines left out (log_rate.h).
void Log(LogLevel level, std::string_view event,
         std::initializer_list<std::pair<std::string_view, std::string>> fields = {});

}  // namespace aaren::log

#endif  // AAREN_SERVER_OPERATE_LOG_LOG_H_
