#include "server/operate/metrics/format/exposition.h"

#include <atomic>
#include <exception>
#include <utility>

#include "CivetServer.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

namespace aaren::metrics {

namespace {

// A client that connects and asks nothing keeps a thread until the timeout.
constexpr char kThreads[] = "16";
constexpr char kTimeoutMs[] = "1000";
constexpr absl::Duration kBetweenKnocks = absl::Milliseconds(5);

constexpr char kMetrics[] = "/metrics", kMetricsFolder[] = "/metrics/";  // prometheus-cpp answers both
constexpr char kWay[] = "The metrics are at /metrics\n";

// Answers and closes. Returns the status, as CivetWeb wants.
int Answer(mg_connection* connection, int status, const char* headers, absl::string_view body) {
  mg_printf(connection, "HTTP/1.1 %d %s\r\n%sConnection: close\r\n\r\n%.*s", status,
            mg_get_response_code_text(connection, status), headers, static_cast<int>(body.size()), body.data());
  return status;
}

// prometheus-cpp answers GET /metrics alone. 0 leaves the answer to prometheus-cpp, or to CivetWeb.
int BeforeHandlers(mg_connection* connection) {
  const mg_request_info& request = *mg_get_request_info(connection);
  const absl::string_view method = request.request_method, path = request.local_uri;
  const bool head = method == "HEAD";
  if (path != kMetrics && path != kMetricsFolder && path != "/") return 0;
  if (!head && method != "GET") return Answer(connection, 405, "Allow: GET, HEAD\r\n", "");
  if (path == "/") return Answer(connection, 200, "Content-Type: text/plain\r\n", head ? "" : kWay);
  return head ? Answer(connection, 200, "Content-Type: text/plain; charset=utf-8\r\n", "") : 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Exposition>> Exposition::Start(
    const std::string& listen, std::vector<std::shared_ptr<prometheus::Collectable>> sources) {
  absl::StatusOr<address::Address> address = address::Address::Parse(listen);
  if (!address.ok()) return address.status();
  if (absl::Status status = address::CheckFree(*address); !status.ok()) return status;
  std::unique_ptr<Exposition> exposition(new Exposition(std::move(sources)));
  exposition->address_ = *std::move(address);
  CivetCallbacks callbacks;
  callbacks.begin_request = BeforeHandlers;
  // prometheus-cpp throws, and no exception leaves this folder.
  try {
    exposition->exposer_ = std::make_unique<prometheus::Exposer>(
        // A kept connection would keep one of the threads between two scrapes.
        std::vector<std::string>{"listening_ports", exposition->address_.ToString(), "num_threads", kThreads,
                                 "request_timeout_ms", kTimeoutMs, "enable_keep_alive", "no"},
        &callbacks);
  } catch (const std::exception& error) {
    return absl::UnavailableError(absl::StrCat("cannot serve metrics on ", listen, ": ", error.what()));
  }
  // The Exposer takes weak pointers: `sources_` keeps the collectables alive.
  for (const auto& source : exposition->sources_) exposition->exposer_->RegisterCollectable(source);
  // For port 0 the kernel has chosen a port.
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
