#include "server/operate/trace/export/exporter.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpcpp/create_channel.h"
#include "server/machine/address/address.h"
#include "server/operate/log/log.h"
#include "server/operate/log/shown.h"

namespace aaren::trace {
namespace {

// While a collector is away every batch is lost: the log gets a line a minute, and not a line a batch.
constexpr std::chrono::minutes kLogPause(1);
constexpr size_t kLogBytes = 512;       // shown of a collector's message
constexpr int kMostBackoffMs = 10'000;  // bounds the time to find a collector again

}  // namespace

Exporter::Exporter(ExporterOptions options, SpanBuffer& buffer)
    : options_(std::move(options)), buffer_(buffer), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "traces");
}

void Exporter::Stop(absl::Duration patience) {
  if (!thread_.joinable()) return;
  buffer_.Close();
  if (done_.get_future().wait_for(absl::ToChronoNanoseconds(patience)) != std::future_status::ready) {
    absl::MutexLock lock(&mutex_);
    // The thread may be between two calls: Enter then refuses the next call.
    given_up_ = true;
    if (call_ != nullptr) call_->TryCancel();
  }
  thread_.join();
}

// Without keepalive, since collectors refuse frequent pings. A connection whose peer has vanished shows only by
// silence, and each connection is a channel of its own.
void Exporter::Connect() {
  grpc::ChannelArguments arguments;
  // gRPC shares connections between channels: without an own pool a new channel gets the dead connection again.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMostBackoffMs);
  // gRPC would ask a proxy of the environment for a collector on this machine, too.
  const absl::StatusOr<address::Address> endpoint = address::Address::Parse(options_.endpoint);
  if (endpoint.ok() && address::IsLoopback(*endpoint)) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  stub_ = Service::NewStub(grpc::CreateCustomChannel(options_.endpoint, options_.credentials, arguments));
}

void Exporter::Run() {
  Connect();
  for (;;) {
    const bool last = buffer_.closed();  // asked first: nothing is added after the close
    const std::vector<Span> spans = buffer_.Take(options_.batch, options_.period);
    if (!spans.empty()) Send(spans);
    if (last && spans.empty()) break;
  }
  done_.set_value();
}

// Makes `call` the call under way. False if nothing more may be sent.
bool Exporter::Enter(grpc::ClientContext& call) {
  absl::MutexLock lock(&mutex_);
  if (!given_up_) call_ = &call;
  return !given_up_;
}

void Exporter::Send(const std::vector<Span>& spans) {
  grpc::ClientContext call;
  call.set_deadline(absl::ToChronoTime(absl::Now() + options_.deadline));
  opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse response;
  grpc::Status status = grpc::Status::CANCELLED;
  if (Enter(call)) {
    status = stub_->Export(&call, ToRequest(options_.resource, spans), &response);
    absl::MutexLock lock(&mutex_);
    call_ = nullptr;
  }
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) Connect();
  const auto rejected = static_cast<uint64_t>(std::max<int64_t>(0, response.partial_success().rejected_spans()));
  // A collector may take a batch in part, by OTLP's partial_success. Its number of rejected spans may be anything.
  const uint64_t lost = status.ok() ? std::min<uint64_t>(rejected, spans.size()) : spans.size();
  sent_.fetch_add(spans.size() - lost, std::memory_order_relaxed);
  lost_.fetch_add(lost, std::memory_order_relaxed);
  if (lost > 0) LogFailure(status.ok() ? response.partial_success().error_message() : status.error_message());
}

void Exporter::LogFailure(const std::string& reason) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_log_) return;
  next_log_ = now + kLogPause;
  log::Log(log::LogLevel::kWarning, "spans were dropped: the collector does not take them",
           {{"endpoint", options_.endpoint},
            {"reason", log::Shown(reason, kLogBytes)},
            {"dropped", absl::StrCat(dropped())}});
}

}  // namespace aaren::trace
