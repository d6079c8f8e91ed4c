#include "client/cli/commands/evaluate/evaluate_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {

void ShowProgress(size_t done, size_t all, absl::string_view what) {
  if (isatty(STDERR_FILENO) != 1) return;
  absl::FPrintF(stderr, "\r%d of %d %s%s", done, all, what, done == all ? "\r\x1b[K" : "");
}

bool PrintScores(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) == 0) return true;
  Say(absl::StrCat("cannot write to standard output: ", std::strerror(errno)));
  return false;
}

}  // namespace aaren::cli
