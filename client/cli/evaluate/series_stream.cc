#include "client/cli/evaluate/series_stream.h"

#include <memory>
#include <utility>

#include "absl/random/random.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"

namespace aaren::cli {

client::ClientOptions EvaluatedServer::ClientOptions(uint32_t streams) const {
  return {.target = target,
          .channel = channel,
          .streams = streams,
          .name = "aaren evaluate",
          .connect_timeout = connect_timeout,
          .reconnect_timeout = connect_timeout};
}

std::string NewSessionPrefix() { return absl::StrFormat("evaluate-%016x-", absl::Uniform<uint64_t>(absl::BitGen())); }

absl::Status SeriesStream::Stream(client::Client& client, client::SessionOptions session, const Interrupt& interrupt) {
  const absl::StatusOr<std::unique_ptr<client::Session>> opened = client.Open(std::move(session), *this);
  if (!opened.ok()) return opened.status();
  const absl::StatusOr<client::Opened> answer = (*opened)->WaitOpened();
  absl::Status status = answer.ok() ? CheckModel(answer->model) : answer.status();
  while (status.ok()) {
    status = SendAll(**opened, interrupt);
    if (status.ok()) status = (*opened)->Delete();
    // The server has lost tokens, and sending goes on from the wanted seq.
    if (!absl::IsOutOfRange(status)) break;
    status = absl::OkStatus();
  }
  return status.ok() && interrupt.stopped() ? absl::CancelledError("interrupted") : status;
}

absl::Status SeriesStream::SendAll(client::Session& session, const Interrupt& interrupt) {
  for (size_t begin; (begin = session.next_seq()) < tokens() && !interrupt.stopped();) {
    const absl::Status sent = Send(session, begin);
    if (!sent.ok() && !absl::IsOutOfRange(sent)) return sent;
  }
  return absl::OkStatus();
}

}  // namespace aaren::cli
