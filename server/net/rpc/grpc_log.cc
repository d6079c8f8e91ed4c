#include "server/net/rpc/grpc_log.h"

#include <grpc/support/log.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/operate/log/log.h"

// Releases from 22 on log by Abseil.
#if __has_include(<google/protobuf/stubs/logging.h>)
#include <google/protobuf/stubs/logging.h>
#define AAREN_PROTOBUF_LOGS
#endif

namespace aaren::rpc {
namespace {

log::LogLevel LevelOf(gpr_log_severity severity) {
  if (severity == GPR_LOG_SEVERITY_ERROR) return log::LogLevel::kError;
  return severity == GPR_LOG_SEVERITY_INFO ? log::LogLevel::kInfo : log::LogLevel::kDebug;
}

#ifdef AAREN_PROTOBUF_LOGS
// Protobuf complains about clients' messages: no such complaint is the server's own error.
void LogOfProtobuf(google::protobuf::LogLevel, const char* file, int line, const std::string& message) {
  const std::string name = std::filesystem::path(file).filename().string();
  log::Log(log::LogLevel::kWarning, "protobuf", {{"message", message}, {"source", absl::StrCat(name, ":", line)}});
}
#endif

}  // namespace

void RouteGrpcLog() {
#ifdef AAREN_PROTOBUF_LOGS
  google::protobuf::SetLogHandler(LogOfProtobuf);
#endif
  gpr_set_log_function([](gpr_log_func_args* line) {
    const std::string file = std::filesystem::path(line->file).filename().string();
    log::Log(LevelOf(line->severity), "grpc",
             {{"message", line->message}, {"source", absl::StrCat(file, ":", line->line)}});
  });
}

}  // namespace aaren::rpc
