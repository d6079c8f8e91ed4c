#include "server/metrics/format/exposition.h"

#include <atomic>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

namespace aaren::metrics {

namespace {

// A client that connects and asks nothing keeps a thread until the timeout.
constexpr char kThreads[] = "16";
constexpr char kTimeoutMs[] = "1000";
constexpr absl::Duration kBetweenKnocks = absl::Milliseconds(5);

}  // namespace

absl::StatusOr<std::unique_ptr<Exposition>> Exposition::Start(
    const std::string& listen, std::vector<std::shared_ptr<prometheus::Collectable>> sources) {
  absl::StatusOr<address::Address> address = address::Address::Parse(listen);
  if (!address.ok()) return address.status();
  if (absl::Status status = address::CheckFree(*address); !status.ok()) return status;
  std::unique_ptr<Exposition> exposition(new Exposition(std::move(sources)));
  exposition->address_ = *std::move(address);
  try {
    exposition->exposer_ = std::make_unique<prometheus::Exposer>(
        std::vector<std::string>{"listening_ports", exposition->address_.ToString(), "num_threads", kThreads,
                                 "request_timeout_ms", kTimeoutMs, "enable_keep_alive", "no"});
  } catch (const std::exception& error) {
    return absl::UnavailableError(absl::StrCat("cannot serve metrics on ", listen, ": ", error.what()));
  }
  for (const auto& source : exposition->sources_) exposition->exposer_->RegisterCollectable(source);
  exposition->address_.port = exposition->exposer_->GetListeningPorts().front();
  return exposition;
}

// CivetWeb checks every two seconds whether to end, and at every connection.
Exposition::~Exposition() {
  if (exposer_ == nullptr) return;
  std::atomic<bool> ended = false;
  absl::Notification left;
  visitor_.Post([&] {
    for (; !ended; absl::SleepFor(kBetweenKnocks)) address::Knock(address_);
    left.Notify();
  });
  exposer_.reset();
  ended = true;
  left.WaitForNotification();
}

}  // namespace aaren::metrics
