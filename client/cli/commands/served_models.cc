#include "client/cli/commands/served_models.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "client/cli/commands/service_error.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr std::chrono::milliseconds kPause(200);         // between two questions
constexpr absl::Duration kPatience = absl::Seconds(30);  // with one question

bool IsOutOfReach(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

// True if the server was asked. Each error of a server means that the server does not tell.
bool WasAsked(const absl::Status& status) { return !IsOutOfReach(status) && !absl::IsCancelled(status); }

client::ServiceOptions Service(const std::string& target, const client::ChannelOptions& channel,
                               absl::Duration timeout) {
  return {.target = target, .channel = channel, .timeout = std::min(timeout, kPatience)};
}

}  // namespace

ServedModels::ServedModels(const std::string& target, const client::ChannelOptions& channel, absl::Duration timeout,
                           const Interrupt& interrupt)
    : target_(target),
      timeout_(timeout),
      interrupt_(interrupt),
      models_(Service(target, channel, timeout)),
      sessions_(Service(target, channel, timeout)) {}

// Asks again while the server cannot be reached, and says so once.
template <typename Ask>
auto ServedModels::Patiently(const Ask& ask) const -> decltype(ask()) {
  const auto begin = Interrupt::Clock::now();
  for (bool told = false;; told = true) {
    auto answer = ask();
    const auto now = Interrupt::Clock::now();
    if (answer.ok() || !IsOutOfReach(answer.status())) return answer;
    if (absl::FromChrono(now - begin) >= timeout_) return ServiceError("models", target_, answer.status());
    if (!told) Say(absl::StrCat("no answer from ", target_, ": ", answer.status().message(), "; trying again"));
    if (!interrupt_.WaitUntil(now + kPause)) return absl::CancelledError("interrupted");
  }
}

absl::StatusOr<std::string> ServedModels::NameOfEventModel() const {
  const absl::StatusOr<client::ModelList> list = Patiently([this] { return models_.List(); });
  if (!list.ok()) return WasAsked(list.status()) ? FromServer("models", list.status()) : list.status();
  std::string found;
  for (size_t i = 0; i < list->models.size(); ++i) {
    const client::ModelInfo& model = list->models[i];
    if (model.kind != client::kEventsKind || list->uses[i].retiring) continue;
    if (model.FullName() == list->default_model) return list->default_model;
    // The bare name means the latest version.
    if (found.empty()) found = model.name;
  }
  if (!found.empty()) return found;
  return absl::NotFoundError(absl::StrCat("the server ", target_, " has no model of events; --model names one"));
}

absl::StatusOr<client::ModelInfo> ServedModels::Named(const std::string& model) const {
  const absl::StatusOr<client::ModelInfo> info = Patiently([&] { return models_.Get(model); });
  if (!info.ok() && WasAsked(info.status())) return client::ModelInfo();
  return info;
}

absl::StatusOr<client::ModelInfo> ServedModels::OfSession(const std::string& id) const {
  const absl::StatusOr<client::SessionInfo> session = Patiently([&] { return sessions_.Get(id); });
  if (!session.ok() && !WasAsked(session.status())) return session.status();
  if (!session.ok()) return client::ModelInfo();
  // The list has models that are left for their sessions alone, too.
  const absl::StatusOr<client::ModelList> list = Patiently([this] { return models_.List(); });
  if (!list.ok() && !WasAsked(list.status())) return list.status();
  if (!list.ok()) return client::ModelInfo();
  for (const client::ModelInfo& model : list->models) {
    if (model.FullName() == session->model) return model;
  }
  return client::ModelInfo();
}

}  // namespace aaren::cli
