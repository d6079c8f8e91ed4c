#include "client/cli/commands/event_model.h"

#include <chrono>

#include "aaren/client/models.h"
#include "absl/strings/str_cat.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr std::chrono::milliseconds kPause(200);  // between two questions

absl::StatusOr<client::ModelList> ListModels(const std::string& target, const client::ChannelOptions& channel,
                                             absl::Duration timeout, const Interrupt& interrupt) {
  const client::Models models({.target = target, .channel = channel});
  const auto begin = Interrupt::Clock::now();
  for (;;) {
    absl::StatusOr<client::ModelList> list = models.List();
    const auto now = Interrupt::Clock::now();
    if (!absl::IsUnavailable(list.status()) || absl::FromChrono(now - begin) > timeout) return list;
    if (!interrupt.WaitUntil(now + kPause)) return absl::CancelledError("interrupted");
  }
}

}  // namespace

absl::StatusOr<std::string> FindEventModel(const std::string& target, const client::ChannelOptions& channel,
                                           absl::Duration timeout, const Interrupt& interrupt) {
  const absl::StatusOr<client::ModelList> list = ListModels(target, channel, timeout, interrupt);
  if (!list.ok()) return FromServer("models", list.status());
  std::string found;
  for (size_t i = 0; i < list->models.size(); ++i) {
    const client::ModelInfo& model = list->models[i];
    if (model.kind != client::kEventsKind || list->uses[i].retiring) continue;
    if (model.FullName() == list->default_model) return list->default_model;
    // The bare name means the latest version.
    if (found.empty()) found = model.name;
  }
  if (!found.empty()) return found;
  return absl::NotFoundError(absl::StrCat("the server ", target, " has no model of events; --model names one"));
}

}  // namespace aaren::cli
