#include "server/rpc/grpc_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/log/log.h"

namespace aaren::rpc {
namespace {

log::LogLevel LevelOf(gpr_log_severity severity) {
  if (severity == GPR_LOG_SEVERITY_ERROR) return log::LogLevel::kError;
  return severity == GPR_LOG_SEVERITY_INFO ? log::LogLevel::kInfo : log::LogLevel::kDebug;
}

// Of clients' messages: none of it is the server's own error.
void LogOfProtobuf(google::protobuf::LogLevel, const char* file, int line, const std::string& message) {
  const std::string name = std::filesystem::path(file).filename().string();
  log::Log(log::LogLevel::kWarning, "protobuf", {{"message", message}, {"source", absl::StrCat(name, ":", line)}});
}

}  // namespace

void RouteGrpcLog() {
  google::protobuf::SetLogHandler(LogOfProtobuf);
  gpr_set_log_function([](gpr_log_func_args* line) {
    const std::string file = std::filesystem::path(line->file).filename().string();
    log::Log(LevelOf(line->severity), "grpc",
             {{"message", line->message}, {"source", absl::StrCat(file, ":", line->line)}});
  });
}

}  // namespace aaren::rpc
