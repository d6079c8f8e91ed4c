#include "model/training/program/progress.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "absl/strings/str_format.h"

namespace aaren::training {
namespace {

constexpr int kBarWidth = 24;
constexpr double kRedrawSeconds = 0.2;  // at least between two redraws

std::string Bar(const TrainProgress& progress) {
  const int full = static_cast<int>(kBarWidth * progress.step / progress.steps);
  return std::string(full, '#') + std::string(kBarWidth - full, '.');
}

std::string Duration(double seconds) {
  const int whole = static_cast<int>(seconds);
  return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string Text(const TrainProgress& progress) {
  const double left = progress.seconds / std::max<int64_t>(1, progress.step) * (progress.steps - progress.step);
  const std::string held_out =
      progress.held_out_loss > 0 ? absl::StrFormat("  held out %.4f", progress.held_out_loss) : "";
  return absl::StrFormat("step %d/%d  loss %.4f%s  %.0f tokens/s  left %s", progress.step, progress.steps,
                         progress.loss, held_out, progress.tokens_per_second, Duration(left));
}

}  // namespace

Progress::~Progress() {
  if (drawn_) std::fputc('\n', stderr);
}

void Progress::Show(const TrainProgress& progress) {
  const bool last = progress.step == progress.steps;
  if (!terminal_) {
    if (progress.checked || last) absl::FPrintF(stderr, "%s\n", Text(progress));
    return;
  }
  if (!last && progress.seconds < shown_at_ + kRedrawSeconds) return;
  // The code \033[K clears the end of the line, where an earlier, longer text may stand.
  absl::FPrintF(stderr, "\r[%s] %s\033[K", Bar(progress), Text(progress));
  drawn_ = true;
  shown_at_ = progress.seconds;
}

}  // namespace aaren::training
