#include "client/cli/commands/served_models.h"

#include <chrono>

#include "aaren/client/models.h"
#include "absl/strings/str_cat.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr std::chrono::milliseconds kPause(200);  // between two questions

// Asks again while the server cannot be reached.
template <typename Ask>
auto AskPatiently(absl::Duration timeout, const Interrupt& interrupt, const Ask& ask) -> decltype(ask()) {
  const auto begin = Interrupt::Clock::now();
  for (;;) {
    auto answer = ask();
    const auto now = Interrupt::Clock::now();
    if (!absl::IsUnavailable(answer.status()) || absl::FromChrono(now - begin) > timeout) return answer;
    if (!interrupt.WaitUntil(now + kPause)) return absl::CancelledError("interrupted");
  }
}

}  // namespace

absl::StatusOr<std::string> FindEventModel(const std::string& target, const client::ChannelOptions& channel,
                                           absl::Duration timeout, const Interrupt& interrupt) {
  const client::Models models({.target = target, .channel = channel});
  const absl::StatusOr<client::ModelList> list = AskPatiently(timeout, interrupt, [&] { return models.List(); });
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

absl::StatusOr<std::string> KindOfModel(const std::string& target, const client::ChannelOptions& channel,
                                        const std::string& model, absl::Duration timeout, const Interrupt& interrupt) {
  const client::Models models({.target = target, .channel = channel});
  const absl::StatusOr<client::ModelInfo> info = AskPatiently(timeout, interrupt, [&] { return models.Get(model); });
  if (info.ok()) return info->kind;
  if (absl::IsUnavailable(info.status()) || absl::IsCancelled(info.status())) {
    return FromServer("models", info.status());
  }
  // The Open says why there is no such model, and a session may go on with a model that is not offered any more.
  return "";
}

}  // namespace aaren::cli
