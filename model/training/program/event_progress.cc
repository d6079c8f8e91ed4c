#include "model/training/program/event_progress.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_format.h"

namespace aaren::training {
namespace {

constexpr double kRedraw = 0.5;  // seconds at least between two lines on a terminal

std::string TimeLeft(const EventTrainProgress& progress) {
  const double step = static_cast<double>(progress.step), left = static_cast<double>(progress.steps) - step;
  const auto whole = static_cast<int>(progress.seconds / step * left);
  return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

EventProgress::~EventProgress() {
  if (terminal_ && shown_at_ > 0) std::fputc('\n', stderr);
}

void EventProgress::Show(const EventTrainProgress& now) {
  const bool last = now.step == now.steps;
  if (!(terminal_ ? last || now.seconds > shown_at_ + kRedraw : now.checked)) return;
  shown_at_ = now.seconds;
  absl::FPrintF(stderr, "%sstep %d/%d  time %.4f  mark %.4f  held out %.4f + %.4f  %.0f tokens/s  left %s%s",
                terminal_ ? "\r" : "", now.step, now.steps, now.loss.time, now.loss.mark, now.held_out.time,
                now.held_out.mark, now.tokens_per_second, TimeLeft(now), terminal_ ? "\033[K" : "\n");
}

}  // namespace aaren::training
