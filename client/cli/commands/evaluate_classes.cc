#include "client/cli/commands/evaluate_classes.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {

int RunEvaluateClasses(const EvaluateClassesLine& line) {
  // Before any other thread: all threads inherit the blocked signals.
  std::optional<Interrupt> interrupt(std::in_place);
  const absl::StatusOr<classification::LabelledSet> set = classification::ReadTsFile(line.path);
  if (!set.ok()) return Fail(set.status());
  const absl::StatusOr<ClassScores> scores = EvaluateClasses(*set, line.evaluation, *interrupt, [&](size_t done) {
    // A log would keep every step of the progress.
    if (isatty(STDERR_FILENO) != 1) return;
    absl::FPrintF(stderr, "\r%d of %d cases%s", done, set->cases.size(), done == set->cases.size() ? "\r\x1b[K" : "");
  });
  if (interrupt->signal() != 0) return 128 + interrupt->signal();
  interrupt.reset();  // now a signal ends the program at once, though nobody may read what it prints
  if (!scores.ok()) return Fail(scores.status());
  const std::string text = line.json ? ClassScoresToJson(*scores)
                                     : absl::StrCat(Shown(line.path), ": model ", scores->model, ", ",
                                                    classification::ScoreTable(scores->cases, scores->threshold));
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) == 0) return kSuccess;
  Say(absl::StrCat("cannot write to standard output: ", std::strerror(errno)));
  return kFailure;
}

}  // namespace aaren::cli
