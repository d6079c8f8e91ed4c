// What comes on a stream, and what leaves. Of a message its shard takes the items a few a turn; replies are gathered in
// the outbox, and written one message at a time. When a stream begins and ends is in stream_life.cc.

#include "server/rpc/streams/stream.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/log/log.h"
#include "server/log/shown.h"
#include "server/rpc/messages/bounded_parse.h"
#include "server/rpc/messages/convert.h"
#include "server/rpc/messages/grpc_status.h"
#include "server/session/refusal.h"
#include "server/version/version.h"

namespace aaren::rpc {
namespace {

constexpr uint32_t kProtocolVersion = 1;
constexpr int kItemsPerTurn = 256;
constexpr size_t kBytesPerTurn = 64 << 10;

// An Open may name every horizon of a model. Numbers of a Tokens item that are not packed are a field each.
constexpr ParseBounds kHello{.bytes = 4 << 10, .fields = 256};
constexpr ParseBounds kOpen{.bytes = 32 << 10, .fields = 4096};
constexpr ParseBounds kClose{.bytes = 512, .fields = 32};
constexpr size_t kTokensFields = 16 << 10;
constexpr size_t kKeptBytes = 64 << 10;  // the capacity of the scratch message after a larger item is given back

}  // namespace

void Stream::Read() {
  reading_ = true;
  io_.Read(&received_, &read_);
}

void Stream::NoteHeard() const {
  if (heard_ != nullptr) heard_->Note(group_.clock_.NowNanos());
}

void Stream::OnRead(bool ok) {
  reading_ = false;
  if (finishing_) return DeleteIfDone();
  if (!ok) {
    // gRPC says the same of a client that has no more to send and of one that has gone: a write will tell.
    half_closed_ = true;
    return Touch();
  }
  if (absl::Status status = TakeMessage(); !status.ok()) return Fail(status);
  NoteHeard();
  group_.counters_.messages_received.Add(1);
  group_.counters_.bytes_received.Add(message_.size());
  if (!group_.TakeInput(message_.size())) {
    FreeMessage();
    session::Refusal refusal =
        session::OverQuota("input", "too many messages wait here to be handled", absl::Seconds(1));
    v1::Failed failed;
    *failed.mutable_status() = ToRpcStatus(refusal);
    Append(v1::ServerItem::kFailed, failed);
    return End(ToGrpcStatus(refusal));
  }
  items_ = ItemReader({reinterpret_cast<const char*>(message_.begin()), message_.size()});
  handling_ = true;
  again_ = false;
  if (group_.shard_.tracer() != nullptr && group_.shard_.tracer()->Samples()) BeginTrace();
  // Its first turn is now, unless others are in line: what one stream sends in many messages is then one batch.
  if (group_.input_.empty()) {
    HandleItems();
  } else {
    TryAgain();
  }
}

absl::Status Stream::TakeMessage() {
  const uint64_t bytes = received_.Length(), most = group_.welcome_.message_bytes();
  if (bytes > most) {
    FreeMessage();
    return absl::ResourceExhaustedError(absl::StrCat("a message of ", bytes, " bytes, the limit is ", most));
  }
  if (received_.TrySingleSlice(&message_).ok() || received_.DumpToSingleSlice(&message_).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError("malformed aaren.v1.ClientMessage");
}

void Stream::BeginTrace() {
  if (traces_ == nullptr) {
    traces_ = std::make_unique<StreamTraces>(*group_.shard_.tracer(), context_, caller_.tenant,
                                             [this] { return outbox_.bytes() + writing_bytes_; });
  }
  traces_->Begin(message_.size());
}

void Stream::TryAgain() {
  if (!handling_ || in_input_ || finishing_) return;
  in_input_ = true;
  group_.input_.push_back(this);
}

void Stream::OnOffered() {
  in_waiting_ = false;
  TryAgain();
}

void Stream::DropMessage() {
  if (traces_ != nullptr) traces_->EndReading();
  group_.GiveInput(message_.size());
  FreeMessage();
}

// The buffer is the last to let the bytes go. While memory is short gRPC then asks for more of it back, which needs the
// ExecCtx that the end of a buffer has and that of a slice has not: it would end the process.
void Stream::FreeMessage() {
  message_ = grpc::Slice();
  received_.Clear();
}

bool Stream::HandleItems() {
  in_input_ = false;
  // Nothing is left where OnRoom came while the last item was handled.
  if (!handling_ || finishing_ || ending_.has_value() || !group_.reading_) return false;
  over_rate_ = account != nullptr && account->tokens.limited() && !account->tokens.Admits(group_.clock_.NowNanos());
  const bool any = HandleTurn();
  ChargeTurn();
  return any;
}

// Once a turn: what it overdraws is waited for.
void Stream::ChargeTurn() {
  const uint64_t tokens = std::exchange(turn_tokens_, 0);
  if (tokens > 0 && account != nullptr && account->tokens.limited()) {
    account->tokens.Charge(tokens, group_.clock_.NowNanos());
  }
}

bool Stream::HandleTurn() {
  size_t bytes = 0;
  for (int items = 0; items < kItemsPerTurn && bytes < kBytesPerTurn; ++items) {
    // Asked before each item, since one item may bring megabytes of replies.
    if (!HasRoom()) return items > 0;  // until the client reads: OnWritten
    const ItemReader::Result next = again_ ? ItemReader::Result::kItem : items_.Next();
    if (next == ItemReader::Result::kMalformed) {
      Fail(absl::InvalidArgumentError("malformed aaren.v1.ClientMessage"));
      return true;
    }
    if (next == ItemReader::Result::kEnd) {
      handling_ = false;
      DropMessage();
      Read();
      return true;
    }
    const absl::StatusOr<Handled> handled = HandleItem(items_.field(), items_.content());
    if (!handled.ok()) {
      Fail(handled.status());
      return true;
    }
    again_ = *handled != Handled::kYes;
    if (again_) {
      Wait(*handled);
      return items > 0;
    }
    bytes += items_.content().size();
  }
  TryAgain();
  return true;
}

// What waits for its own handle is told by OnRoom; what the shard does not admit is offered again.
void Stream::Wait(Handled why) {
  if (why != Handled::kWaitsForShard || in_waiting_) return;
  in_waiting_ = true;
  group_.waiting_.Add(*this, account);
}

absl::StatusOr<Stream::Handled> Stream::HandleItem(uint32_t field, std::string_view content) {
  if (field == v1::ClientItem::kHello) {
    if (absl::Status status = HandleHello(content); !status.ok()) return status;
    return Handled::kYes;
  }
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
  if (absl::Status status = ParseBounded(content, kHello, hello); !status.ok()) return status;
  if (hello.protocol_version() != kProtocolVersion) {
    return absl::FailedPreconditionError(absl::StrCat("protocol version ", hello.protocol_version(),
                                                      " is not spoken here; version ", kProtocolVersion, " is"));
  }
  greeted_ = true;
  since_ = group_.clock_.Now();
  log::Log(log::LogLevel::kDebug, "stream opened", {{"peer", context_.peer()}, {"client", log::Shown(hello.client())}});
  v1::Welcome welcome;
  welcome.set_protocol_version(kProtocolVersion);
  *welcome.mutable_limits() = group_.welcome_;
  welcome.set_server(absl::StrCat("aaren-server/", version::kVersion));
  Append(v1::ServerItem::kWelcome, welcome);
  return absl::OkStatus();
}

absl::StatusOr<Stream::Handled> Stream::HandleOpen(std::string_view content) {
  if (!group_.shard_.AdmitsOpen(*this)) return Handled::kWaitsForShard;
  v1::Open open;
  if (absl::Status status = ParseBounded(content, kOpen, open); !status.ok()) return status;
  if (group_.shard_.IsClosing(*this, open.handle())) return Handled::kWaits;
  session::Outcome<session::OpenRequest> request = ToOpenRequest(open, caller_.tenant);
  if (request.refusal) {
    OnOpenRefused(open.handle(), open.number(), *request.refusal);
  } else {
    group_.shard_.Open(*this, open.handle(), std::move(request.value));
  }
  return Handled::kYes;
}

absl::StatusOr<Stream::Handled> Stream::HandleTokens(std::string_view content) {
  if (over_rate_) {
    account->NoteLimited(identity::Account::Limit::kTokens);
    return Handled::kWaitsForShard;
  }
  if (!group_.shard_.AdmitsTokens(*this, content.size())) return Handled::kWaitsForShard;
  const ParseBounds bounds{.bytes = group_.welcome_.message_bytes(), .fields = kTokensFields};
  if (absl::Status status = ParseBounded(content, bounds, group_.tokens_); !status.ok()) return status;
  const Handled handled = HandleParsedTokens(ToTokensView(group_.tokens_));
  if (content.size() > kKeptBytes) v1::Tokens().Swap(&group_.tokens_);
  return handled;
}

Stream::Handled Stream::HandleParsedTokens(session::TokensView tokens) {
  if (traces_ != nullptr) tokens.trace = traces_->current();
  if (!group_.shard_.Tokens(*this, tokens)) return Handled::kWaits;
  if (tokens.trace != 0) traces_->NoteItem(tokens.handle);
  turn_tokens_ += tokens.count(1);
  return Handled::kYes;
}

absl::StatusOr<Stream::Handled> Stream::HandleClose(std::string_view content) {
  v1::Close close;
  if (absl::Status status = ParseBounded(content, kClose, close); !status.ok()) return status;
  if (close.delete_session() && !group_.shard_.AdmitsOpen(*this)) return Handled::kWaitsForShard;
  if (group_.shard_.IsClosing(*this, close.handle())) return Handled::kWaits;
  group_.shard_.Close(*this, close.handle(), close.delete_session(),
                      close.has_delivered_seq() ? std::optional(close.delivered_seq()) : std::nullopt);
  return Handled::kYes;
}

void Stream::OnOpened(session::Handle handle, const session::OpenedReply& reply) {
  v1::Opened opened;
  FillOpened(handle, reply, opened);
  Append(v1::ServerItem::kOpened, opened);
}

void Stream::OnForecasts(session::Handle handle, const session::ForecastsReply& reply) {
  // A step may answer thousands of tokens: in several items they keep below what clients accept in one message.
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

void Stream::OnAcked(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  v1::Acked acked;
  acked.set_handle(handle);
  acked.set_next_seq(next_seq);
  acked.set_durable_seq(durable_seq);
  Append(v1::ServerItem::kAcked, acked);
}

void Stream::OnClosed(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) {
  v1::Closed closed;
  closed.set_handle(handle);
  closed.set_next_seq(next_seq);
  closed.set_durable_seq(durable_seq);
  Append(v1::ServerItem::kClosed, closed);
}

void Stream::OnFailed(session::Handle handle, const session::Refusal& refusal, uint64_t expected_seq) {
  v1::Failed failed;
  failed.set_handle(handle);
  failed.set_expected_seq(expected_seq);
  *failed.mutable_status() = ToRpcStatus(refusal);
  Append(v1::ServerItem::kFailed, failed);
}

void Stream::OnOpenRefused(session::Handle handle, uint64_t number, const session::Refusal& refusal) {
  v1::Failed failed;
  failed.set_handle(handle);
  failed.set_open_number(number);
  *failed.mutable_status() = ToRpcStatus(refusal);
  Append(v1::ServerItem::kFailed, failed);
}

void Stream::OnCloseRefused(session::Handle handle, const session::Refusal& refusal) { OnFailed(handle, refusal, 0); }

void Stream::Append(uint32_t field, const google::protobuf::MessageLite& content) {
  if (finishing_) return;
  const size_t before = outbox_.bytes();
  outbox_.Append(field, content);
  group_.CountUnread(static_cast<ptrdiff_t>(outbox_.bytes() - before));
  Touch();
}

void Stream::Touch() {
  if (touched_) return;
  touched_ = true;
  group_.touched_.push_back(this);
}

void Stream::Flush() {
  touched_ = false;
  if (finishing_) return;
  // gRPC allows one write at a time. What comes while it is under way leaves with the next one, merged.
  if (!writing_ && !outbox_.empty()) {
    writing_ = true;
    writing_since_ = group_.clock_.Now();
    const grpc::ByteBuffer message = outbox_.Take();
    writing_bytes_ = message.Length();
    group_.counters_.messages_sent.Add(1);
    group_.counters_.bytes_sent.Add(writing_bytes_);
    io_.Write(message, &written_);
  }
  if (writing_ || !outbox_.empty()) return;
  if (ending_.has_value()) return Finish(*ending_);
  if (half_closed_ && !group_.shard_.Owes(*this)) Finish(grpc::Status::OK);
}

void Stream::OnWritten(bool ok) {
  writing_ = false;
  const size_t taken = std::exchange(writing_bytes_, 0);
  group_.CountUnread(-static_cast<ptrdiff_t>(taken));
  if (finishing_) return DeleteIfDone();
  if (!ok) return Finish(grpc::Status::CANCELLED);  // the client has gone
  NoteHeard();
  if (traces_ != nullptr) traces_->OnTaken(taken);
  Touch();
  if (!HasRoom()) return;
  group_.shard_.Resume(*this);
  if (!in_waiting_) TryAgain();
}

}  // namespace aaren::rpc
