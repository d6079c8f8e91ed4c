#include "server/rpc/stream.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/log/log.h"
#include "server/rpc/convert.h"
#include "server/rpc/grpc_status.h"
#include "server/session/refusal.h"
#include "server/version.h"

namespace aaren::rpc {
namespace {

constexpr uint32_t kProtocolVersion = 1;
constexpr size_t kMaxUnwrittenBytes = 4 << 20;
constexpr size_t kMaxUnanswered = 1024;  // handles with an Open or a Close under way

template <typename Message>
absl::Status Parse(std::string_view bytes, Message& message) {
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("malformed ", message.GetTypeName()));
}

// Empties the place of `stream` in one of the group's lists.
void Forget(Stream* stream, std::vector<Stream*>& list) {
  std::replace(list.begin(), list.end(), stream, static_cast<Stream*>(nullptr));
}

}  // namespace

Stream::Stream(StreamGroup& group) : group_(group), count_(group.calls_), io_(&context_), outbox_(group.buffers_) {
  group_.service_.RequestStream(&context_, &io_, &group_.queue_, &group_.queue_, &accepted_);
}

Stream::~Stream() {
  if (touched_) Forget(this, group_.touched_);
  if (waiting_) Forget(this, group_.waiting_);
  if (group_.streams_.erase(this) > 0) group_.counters_.closed.Add(1);
}

void Stream::OnAccepted(bool ok) {
  if (!ok) return delete this;  // the server has shut down
  group_.Accept();
  group_.streams_.insert(this);
  group_.counters_.opened.Add(1);
  if (group_.draining_) return Finish(GoneStatus());
  Read();
}

void Stream::Read() {
  reading_ = true;
  io_.Read(&received_, &read_);
}

void Stream::OnRead(bool ok) {
  reading_ = false;
  if (finishing_) return DeleteIfDone();
  if (!ok) {
    half_closed_ = true;
    return Touch();
  }
  if (!received_.TrySingleSlice(&message_).ok() && !received_.DumpToSingleSlice(&message_).ok()) {
    return Fail(absl::InvalidArgumentError("malformed aaren.v1.ClientMessage"));
  }
  received_.Clear();
  group_.counters_.messages_received.Add(1);
  group_.counters_.bytes_received.Add(message_.size());
  items_ = ItemReader({reinterpret_cast<const char*>(message_.begin()), message_.size()});
  handling_ = true;
  HandleItems();
}

// True if the next item may not be handled now. Something is then bound to touch the stream: a write, an answer, or the
// group when the shard is no longer full.
bool Stream::MustWait() {
  if (!group_.reading_ || outbox_.bytes() > kMaxUnwrittenBytes || unanswered_.size() >= kMaxUnanswered) return true;
  if (!group_.shard_.Full()) return false;
  if (!waiting_) group_.waiting_.push_back(this);
  return waiting_ = true;
}

void Stream::HandleItems() {
  while (!MustWait()) {
    const ItemReader::Result next = items_.Next();
    if (next == ItemReader::Result::kMalformed) {
      return Fail(absl::InvalidArgumentError("malformed aaren.v1.ClientMessage"));
    }
    if (next == ItemReader::Result::kEnd) {
      handling_ = false;
      message_ = grpc::Slice();
      return Read();
    }
    if (absl::Status status = HandleItem(items_.field(), items_.content()); !status.ok()) return Fail(status);
  }
}

absl::Status Stream::HandleItem(uint32_t field, std::string_view content) {
  if (field == v1::ClientItem::kHello) return HandleHello(content);
  if (!greeted_) return absl::InvalidArgumentError("the first item of a stream must be Hello");
  switch (field) {
    case v1::ClientItem::kTokens:
      return HandleTokens(content);
    case v1::ClientItem::kOpen:
      return HandleOpen(content);
    case v1::ClientItem::kClose:
      return HandleClose(content);
    default:
      return absl::InvalidArgumentError(field == 0 ? "an item is empty"
                                                   : absl::StrCat("an item of an unknown kind (field ", field, ")"));
  }
}

absl::Status Stream::HandleHello(std::string_view content) {
  if (greeted_) return absl::InvalidArgumentError("Hello came twice on one stream");
  v1::Hello hello;
  if (absl::Status status = Parse(content, hello); !status.ok()) return status;
  if (hello.protocol_version() != kProtocolVersion) {
    return absl::FailedPreconditionError(absl::StrCat("protocol version ", hello.protocol_version(),
                                                      " is not spoken here; version ", kProtocolVersion, " is"));
  }
  greeted_ = true;
  Log(LogLevel::kDebug, "stream opened", {{"peer", context_.peer()}, {"client", hello.client().substr(0, 128)}});
  v1::Welcome welcome;
  welcome.set_protocol_version(kProtocolVersion);
  *welcome.mutable_limits() = group_.limits_;
  welcome.set_server(absl::StrCat("aaren-server/", kVersion));
  Append(v1::ServerItem::kWelcome, welcome);
  return absl::OkStatus();
}

absl::Status Stream::HandleOpen(std::string_view content) {
  v1::Open open;
  if (absl::Status status = Parse(content, open); !status.ok()) return status;
  ++unanswered_[open.handle()];
  absl::StatusOr<OpenRequest> request = ToOpenRequest(open);
  if (request.ok()) {
    group_.shard_.Open(*this, open.handle(), *std::move(request));
  } else {
    OnFailed(open.handle(), InvalidField("open.mode", request.status().message()), 0);
  }
  return absl::OkStatus();
}

absl::Status Stream::HandleTokens(std::string_view content) {
  if (absl::Status status = Parse(content, group_.tokens_); !status.ok()) return status;
  group_.shard_.Tokens(*this, ToTokensView(group_.tokens_));
  return absl::OkStatus();
}

absl::Status Stream::HandleClose(std::string_view content) {
  v1::Close close;
  if (absl::Status status = Parse(content, close); !status.ok()) return status;
  ++unanswered_[close.handle()];
  group_.shard_.Close(*this, close.handle(), close.delete_session(),
                      close.has_delivered_seq() ? std::optional(close.delivered_seq()) : std::nullopt);
  return absl::OkStatus();
}

void Stream::OnOpened(Handle handle, const OpenedReply& reply) {
  v1::Opened opened;
  FillOpened(handle, reply, opened);
  Append(v1::ServerItem::kOpened, opened);
  Answered(handle);
}

void Stream::OnForecasts(Handle handle, const ForecastsReply& reply) {
  const size_t part = ResultsPerItem(reply);
  size_t begin = 0;
  do {
    const size_t end = std::min(begin + part, reply.results);
    group_.forecasts_.Clear();
    FillForecasts(handle, reply, begin, end, group_.forecasts_);
    Append(v1::ServerItem::kForecasts, group_.forecasts_);
    begin = end;
  } while (begin < reply.results);
}

void Stream::OnAcked(Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  v1::Acked acked;
  acked.set_handle(handle);
  acked.set_next_seq(next_seq);
  acked.set_durable_seq(durable_seq);
  Append(v1::ServerItem::kAcked, acked);
}

void Stream::OnClosed(Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  v1::Closed closed;
  closed.set_handle(handle);
  closed.set_next_seq(next_seq);
  closed.set_durable_seq(durable_seq);
  Append(v1::ServerItem::kClosed, closed);
  Answered(handle);
}

void Stream::OnFailed(Handle handle, const Refusal& refusal, uint64_t expected_seq) {
  v1::Failed failed;
  failed.set_handle(handle);
  *failed.mutable_status() = ToRpcStatus(refusal);
  failed.set_expected_seq(expected_seq);
  Append(v1::ServerItem::kFailed, failed);
  Answered(handle);
}

void Stream::SendDraining(absl::Duration deadline) {
  v1::Draining draining;
  draining.set_deadline_ms(absl::ToInt64Milliseconds(deadline));
  Append(v1::ServerItem::kDraining, draining);
}

void Stream::Append(uint32_t field, const google::protobuf::MessageLite& content) {
  if (finishing_) return;
  outbox_.Append(field, content);
  Touch();
}

void Stream::Answered(Handle handle) {
  const auto it = unanswered_.find(handle);
  if (it == unanswered_.end() || --it->second > 0) return;
  unanswered_.erase(it);
  if (unanswered_.empty()) unanswered_ = {};  // a burst of Opens is over: give its memory back
}

void Stream::Touch() {
  if (touched_) return;
  touched_ = true;
  group_.touched_.push_back(this);
}

void Stream::StopWaiting() {
  waiting_ = false;
  Touch();
}

void Stream::Flush() {
  touched_ = false;
  if (finishing_) return;
  if (!writing_ && !outbox_.empty()) {
    writing_ = true;
    const grpc::ByteBuffer message = outbox_.Take();
    group_.counters_.messages_sent.Add(1);
    group_.counters_.bytes_sent.Add(message.Length());
    io_.Write(message, &written_);
  }
  if (handling_ && !ending_.has_value()) HandleItems();
  if (writing_ || !outbox_.empty()) return;
  if (ending_.has_value()) return Finish(*ending_);
  if (half_closed_ && AllAnswered()) Finish(grpc::Status::OK);
}

// REQUIRES: the client sends no more. Asks for another look while tokens wait.
bool Stream::AllAnswered() {
  if (handling_ || !unanswered_.empty()) {
    last_round_ = 0;
    return false;
  }
  if (last_round_ == 0) last_round_ = group_.RoundOfLastToken();
  if (last_round_ > group_.rounds_) Touch();
  return last_round_ <= group_.rounds_;
}

void Stream::OnWritten(bool ok) {
  writing_ = false;
  if (finishing_) return DeleteIfDone();
  if (!ok) return Finish(grpc::Status::CANCELLED);  // the client has gone
  Touch();
}

void Stream::Fail(const absl::Status& status) {
  Refusal refusal;
  refusal.status = status;
  Log(LogLevel::kInfo, "stream refused", {{"peer", context_.peer()}, {"reason", status.ToString()}});
  v1::Failed failed;
  *failed.mutable_status() = ToRpcStatus(refusal);
  Append(v1::ServerItem::kFailed, failed);
  End(ToGrpcStatus(refusal));
}

void Stream::End(grpc::Status status) {
  if (finishing_ || ending_.has_value()) return;
  ending_ = std::move(status);
  Touch();
}

void Stream::Finish(const grpc::Status& status) {
  finishing_ = true;
  group_.shard_.Disconnect(*this);
  outbox_.Clear();
  message_ = grpc::Slice();
  io_.Finish(status, &finished_);
}

void Stream::OnFinished(bool) {
  finished_done_ = true;
  DeleteIfDone();
}

void Stream::DeleteIfDone() {
  if (finished_done_ && !reading_ && !writing_) delete this;
}

}  // namespace aaren::rpc
