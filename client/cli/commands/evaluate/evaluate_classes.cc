#include "client/cli/commands/evaluate/evaluate_classes.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "client/cli/commands/evaluate/evaluate_output.h"
#include "client/cli/terminal/report.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {

int RunEvaluateClasses(const EvaluateClassesLine& line) {
  // Before any other thread: all threads inherit the blocked signals.
  std::optional<Interrupt> interrupt(std::in_place);
  const absl::StatusOr<classification::LabelledSet> set = classification::ReadTsFile(line.path);
  if (!set.ok()) return Fail(set.status());
  const absl::StatusOr<ClassScores> scores = EvaluateClasses(
      *set, line.evaluation, *interrupt, [&](size_t done) { ShowProgress(done, set->cases.size(), "cases"); });
  if (interrupt->signal() != 0) return 128 + interrupt->signal();
  interrupt.reset();  // now a signal ends the program at once, even while a pipe is not read
  if (!scores.ok()) return Fail(scores.status());
  const std::string text = line.json ? ClassScoresToJson(*scores)
                                     : absl::StrCat(Shown(line.path), ": model ", scores->model, ", ",
                                                    classification::ScoreTable(scores->cases, scores->threshold));
  return PrintScores(text) ? kSuccess : kFailure;
}

}  // namespace aaren::cli
