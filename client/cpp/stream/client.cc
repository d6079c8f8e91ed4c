#include "aaren/client/client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/messages/printable.h"
#include "client/cpp/stream/connection.h"

namespace aaren::client {
namespace {

constexpr uint32_t kBuckets = 256;  // the most streams of a client, and the unit that proxies spread over servers
constexpr size_t kMaxIdBytes = 128;
constexpr size_t kMaxNameBytes = 128;

// FNV-1a, equal in every process: a session keeps its stream.
uint32_t Bucket(const std::string& id) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<uint32_t>(hash % kBuckets);
}

absl::Status Check(const ClientOptions& options) {
  if (options.name.size() > kMaxNameBytes || !IsPrintable(options.name)) {
    return absl::InvalidArgumentError(absl::StrCat("name of a client of ", options.name.size(),
                                                   " bytes: up to 128 bytes of printable ASCII expected"));
  }
  return CheckChannel(options.channel);
}

absl::Status Check(const SessionOptions& options) {
  if (options.id.empty() || options.id.size() > kMaxIdBytes || !IsPrintable(options.id)) {
    return absl::InvalidArgumentError(
        absl::StrCat("session id of ", options.id.size(), " bytes: 1 .. 128 bytes of printable ASCII expected"));
  }
  const absl::Status model = CheckPrintable(absl::StrCat("session \"", options.id, "\": a model"), options.model);
  if (!model.ok()) return model;
  if (options.window == 0) {
    return absl::InvalidArgumentError(absl::StrCat("session \"", options.id, "\": window 0; at least 1 expected"));
  }
  if (options.regular_times && options.regular_times->step_ns <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("session \"", options.id, "\": step of regular times ",
                                                   options.regular_times->step_ns, " ns; more than 0 expected"));
  }
  return absl::OkStatus();
}

}  // namespace

Client::Client(ClientOptions options) : options_(std::move(options)) {
  const uint32_t streams = std::clamp(options_.streams, 1u, kBuckets);
  for (uint32_t i = 0; i < streams; ++i) connections_.push_back(std::make_shared<Connection>(options_, i));
}

Client::~Client() {
  for (const auto& connection : connections_) connection->Stop();
}

absl::StatusOr<std::unique_ptr<Session>> Client::Open(SessionOptions options, Listener& listener) {
  // A constructor returns no status, so each Open checks the client's options.
  absl::Status status = Check(options_);
  status.Update(Check(options));
  if (!status.ok()) return status;
  const auto& connection = connections_[Bucket(options.id) % connections_.size()];
  std::unique_ptr<Session> session(new Session(connection, std::move(options), listener));
  status = connection->Add(session->state_);
  if (!status.ok()) return status;
  return session;
}

}  // namespace aaren::client
