#include "server/net/rpc/streams/item_handler.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/net/rpc/messages/bounded_parse.h"
#include "server/net/rpc/messages/convert.h"
#include "server/operate/log/log.h"
#include "server/operate/log/shown.h"
#include "server/program/version/version.h"

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
constexpr size_t kKeptBytes = 64 << 10;  // after a larger item the scratch message gives its memory back

}  // namespace

// Tokens are charged once a turn; the tenant waits for what a turn has overdrawn.
ItemHandler::Turn ItemHandler::HandleTurn(StreamTraces* traces) {
  identity::Account* account = parts_.peer.account;
  const bool limited = account != nullptr && account->tokens.limited();
  over_rate_ = limited && !account->tokens.Admits(commons_.host.clock.NowNanos());
  Turn turn = HandleSome(traces);
  const uint64_t tokens = std::exchange(turn_tokens_, 0);
  if (limited && tokens > 0) account->tokens.Charge(tokens, commons_.host.clock.NowNanos());
  return turn;
}

ItemHandler::Turn ItemHandler::HandleSome(StreamTraces* traces) {
  Incoming& incoming = parts_.incoming;
  size_t bytes = 0;
  for (int items = 0; items < kItemsPerTurn && bytes < kBytesPerTurn; ++items) {
    // Asked before each item, since one item may bring megabytes of replies. The end of a write brings the next turn.
    if (!parts_.outgoing.HasRoom()) return {.any = items > 0};
    const ItemReader::Result next = incoming.NextItem();
    if (next == ItemReader::Result::kEnd) return {.any = true, .message_done = true};
    if (next == ItemReader::Result::kMalformed) {
      return {.any = true, .broken = absl::InvalidArgumentError("malformed aaren.v1.ClientMessage")};
    }
    const absl::StatusOr<Handled> handled = HandleItem(traces);
    if (!handled.ok()) return {.any = true, .broken = handled.status()};
    if (*handled != Handled::kYes) {
      Wait(*handled);
      return {.any = items > 0};
    }
    bytes += incoming.content().size();
  }
  incoming.AskForTurn();
  return {.any = true};
}

void ItemHandler::Wait(Handled why) {
  parts_.incoming.PutBack();
  if (why == Handled::kWaitsForShard) parts_.incoming.WaitForShard(parts_.peer.account);
}

absl::StatusOr<ItemHandler::Handled> ItemHandler::HandleItem(StreamTraces* traces) {
  const uint32_t field = parts_.incoming.field();
  const std::string_view content = parts_.incoming.content();
  if (field == v1::ClientItem::kHello) {
    if (absl::Status status = HandleHello(content); !status.ok()) return status;
    return Handled::kYes;
  }
  if (!parts_.life.greeted()) return absl::InvalidArgumentError("the first item of a stream must be Hello");
  switch (field) {
    case v1::ClientItem::kTokens:
      return HandleTokens(content, traces);
    case v1::ClientItem::kOpen:
      return HandleOpen(content);
    case v1::ClientItem::kClose:
      return HandleClose(content);
    default:
      return absl::InvalidArgumentError(field == 0 ? "an item is empty"
                                                   : absl::StrCat("an item of an unknown kind (field ", field, ")"));
  }
}

absl::Status ItemHandler::HandleHello(std::string_view content) {
  if (parts_.life.greeted()) return absl::InvalidArgumentError("Hello came twice on one stream");
  v1::Hello hello;
  if (absl::Status status = ParseBounded(content, kHello, hello); !status.ok()) return status;
  if (hello.protocol_version() != kProtocolVersion) {
    return absl::FailedPreconditionError(absl::StrCat("protocol version ", hello.protocol_version(),
                                                      " is not spoken here; version ", kProtocolVersion, " is"));
  }
  parts_.life.Greet(commons_.host.clock.Now());
  log::Log(log::LogLevel::kDebug, "stream opened",
           {{"peer", parts_.member.peer()}, {"client", log::Shown(hello.client())}});
  v1::Welcome welcome;
  welcome.set_protocol_version(kProtocolVersion);
  *welcome.mutable_limits() = commons_.host.welcome;
  welcome.set_server(absl::StrCat("aaren-server/", version::kVersion));
  parts_.outgoing.Append(v1::ServerItem::kWelcome, welcome);
  return absl::OkStatus();
}

absl::StatusOr<ItemHandler::Handled> ItemHandler::HandleOpen(std::string_view content) {
  shard::SessionShard& shard = commons_.host.shard;
  if (!shard.AdmitsOpen(parts_.peer)) return Handled::kWaitsForShard;
  v1::Open open;
  if (absl::Status status = ParseBounded(content, kOpen, open); !status.ok()) return status;
  if (shard.IsClosing(parts_.peer, open.handle())) return Handled::kWaits;
  session::Outcome<session::OpenRequest> request = ToOpenRequest(open, parts_.member.caller().tenant);
  if (request.refusal) {
    parts_.peer.OnOpenRefused(open.handle(), open.number(), *request.refusal);
  } else {
    shard.Open(parts_.peer, open.handle(), std::move(request.value));
  }
  return Handled::kYes;
}

absl::StatusOr<ItemHandler::Handled> ItemHandler::HandleTokens(std::string_view content, StreamTraces* traces) {
  if (over_rate_) {
    parts_.peer.account->NoteLimited(identity::Account::Limit::kTokens);
    return Handled::kWaitsForShard;
  }
  if (!commons_.host.shard.AdmitsTokens(parts_.peer, content.size())) return Handled::kWaitsForShard;
  const ParseBounds bounds{.bytes = commons_.host.welcome.message_bytes(), .fields = kTokensFields};
  v1::Tokens& tokens = commons_.tokens;
  if (absl::Status status = ParseBounded(content, bounds, tokens); !status.ok()) return status;
  const Handled handled = HandleParsedTokens(ToTokensView(tokens), traces);
  if (content.size() > kKeptBytes) v1::Tokens().Swap(&tokens);
  return handled;
}

ItemHandler::Handled ItemHandler::HandleParsedTokens(session::TokensView tokens, StreamTraces* traces) {
  if (traces != nullptr) tokens.trace = traces->current();
  if (!commons_.host.shard.Tokens(parts_.peer, tokens)) return Handled::kWaits;
  if (tokens.trace != 0) traces->NoteItem(tokens.handle);
  turn_tokens_ += tokens.count(1);
  return Handled::kYes;
}

absl::StatusOr<ItemHandler::Handled> ItemHandler::HandleClose(std::string_view content) {
  v1::Close close;
  if (absl::Status status = ParseBounded(content, kClose, close); !status.ok()) return status;
  shard::SessionShard& shard = commons_.host.shard;
  if (close.delete_session() && !shard.AdmitsOpen(parts_.peer)) return Handled::kWaitsForShard;
  if (shard.IsClosing(parts_.peer, close.handle())) return Handled::kWaits;
  shard.Close(parts_.peer, close.handle(), close.delete_session(),
              close.has_delivered_seq() ? std::optional(close.delivered_seq()) : std::nullopt);
  return Handled::kYes;
}

}  // namespace aaren::rpc
