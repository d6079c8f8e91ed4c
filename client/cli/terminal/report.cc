#include "client/cli/terminal/report.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {

void Say(absl::string_view message) {
  const std::string line = absl::StrCat("aaren: ", Shown(message), "\n");
  // One call for each line: lines of several threads do not mix.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void PrintLine(absl::string_view line) {
  const std::string shown = absl::StrCat(Shown(line), "\n");
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

absl::Status FromServer(absl::string_view what, const absl::Status& status) {
  if (status.ok()) return status;
  const absl::StatusCode code = absl::IsCancelled(status) ? absl::StatusCode::kAborted : status.code();
  return absl::Status(code,
                      absl::StrCat(what, ": ", status.message(), " (", absl::StatusCodeToString(status.code()), ")"));
}

int Fail(const absl::Status& status) {
  Say(status.message());
  return kFailure;
}

int FailUsage(absl::string_view subcommand, const absl::Status& status) {
  Say(absl::StrCat(subcommand, ": ", status.message()));
  Say(absl::StrCat("see aaren ", subcommand, " --help"));
  return kUsageError;
}

}  // namespace aaren::cli
