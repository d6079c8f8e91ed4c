// The FakeServer itself: port, streams, and the ways to cut and end streams.

#include "tests/client/fake_server.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/client/fake_services.h"

namespace aaren {

v1::Limits FakeServer::DefaultLimits() {
  v1::Limits limits;
  limits.set_message_bytes(1 << 20);
  limits.set_tokens_per_item(64);
  limits.set_in_flight_tokens(1024);
  limits.set_channels(8);
  limits.set_sessions_per_stream(100000);
  return limits;
}

FakeServer::FakeServer(const Options& options)
    : options_(options),
      sessions_service_(std::make_unique<FakeSessions>(*this)),
      models_service_(std::make_unique<FakeModels>()) {
  Start();
}

FakeServer::~FakeServer() { Stop(); }

std::string FakeServer::target() const { return absl::StrCat("127.0.0.1:", port_); }

void FakeServer::Start() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = false;
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", port_),
                           options_.credentials ? options_.credentials : grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(this);
  builder.RegisterService(sessions_service_.get());
  builder.RegisterService(models_service_.get());
  builder.SetMaxReceiveMessageSize(-1);
  server_ = builder.BuildAndStart();
}

void FakeServer::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (server_) server_->Shutdown(std::chrono::system_clock::now());
  server_.reset();
}

grpc::Status FakeServer::Stream(grpc::ServerContext* context,
                                grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>* stream) {
  {
    absl::MutexLock lock(&mutex_);
    ++streams_;
    NoteHeaders(*context);
    if (refusal_ != 0) return grpc::Status(static_cast<grpc::StatusCode>(refusal_), "no streams today");
  }
  if (options_.compresses) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
  Handles handles;
  v1::ClientMessage message;
  bool started = false;
  while (stream->Read(&message)) {
    NoteStart(message, started);
    v1::ServerMessage reply;
    grpc::Status end;
    if (!Handle(message, handles, reply, end)) {
      if (reply.items_size() > 0 && !end.ok()) stream->Write(reply);
      if (!end.ok()) return end;
      context->TryCancel();
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the stream was cut");
    }
    if (options_.lie) options_.lie(reply);
    if (reply.items_size() > 0) stream->Write(reply);
  }
  return grpc::Status::OK;
}

void FakeServer::NoteHeaders(const grpc::ServerContext& context) {
  headers_.clear();
  for (const auto& [name, value] : context.client_metadata()) {
    headers_[{name.data(), name.size()}] = {value.data(), value.size()};
  }
}

void FakeServer::NoteStart(const v1::ClientMessage& message, bool& started) {
  NoteOpens(message);
  if (started) return;
  int tokens = 0;
  for (const v1::ClientItem& item : message.items())
    tokens += item.tokens().values_size() + item.tokens().doubles_size();
  started = tokens > 0;
  absl::MutexLock lock(&mutex_);
  largest_start_ = std::max(largest_start_, tokens);
}

void FakeServer::NoteOpens(const v1::ClientMessage& message) {
  const auto opens =
      std::count_if(message.items().begin(), message.items().end(), [](const auto& item) { return item.has_open(); });
  absl::MutexLock lock(&mutex_);
  largest_opens_ = std::max(largest_opens_, static_cast<int>(opens));
}

bool FakeServer::Cuts(const v1::ClientMessage& message, bool before) {
  if (std::none_of(message.items().begin(), message.items().end(), [](const auto& i) { return i.has_tokens(); })) {
    return false;
  }
  if (before) ++token_messages_;
  return cuts_.count(token_messages_) > 0 && (token_messages_ % 2 == 0) == before;
}

bool FakeServer::Ends(const v1::ClientMessage& message, v1::ServerMessage& reply) {
  if (streams_to_end_ == 0 ||
      std::none_of(message.items().begin(), message.items().end(), [](const auto& i) { return i.has_tokens(); })) {
    return false;
  }
  --streams_to_end_;
  if (end_failed_.code() != 0) *reply.add_items()->mutable_failed()->mutable_status() = end_failed_;
  return true;
}

bool FakeServer::Handle(const v1::ClientMessage& message, Handles& handles, v1::ServerMessage& reply,
                        grpc::Status& end) {
  absl::MutexLock lock(&mutex_);
  if (Ends(message, reply)) {
    end = grpc::Status(static_cast<grpc::StatusCode>(end_code_), "the stream was ended");
    return false;
  }
  ++messages_;
  if (message.ByteSizeLong() > options_.limits.message_bytes()) ++violations_;
  if (Cuts(message, /*before=*/true)) return false;
  for (const v1::ClientItem& item : message.items()) {
    if (item.has_hello()) {
      reply.add_items()->mutable_welcome()->set_protocol_version(1);
      *reply.mutable_items(0)->mutable_welcome()->mutable_limits() = options_.limits;
    }
    if (item.has_open()) Open(item.open(), handles, reply);
    if (item.has_tokens()) Fold(item.tokens(), handles, reply);
    if (item.has_close()) Close(item.close(), handles, reply);
    if (item.has_close() && std::exchange(lose_closed_, false)) return false;
  }
  if (std::exchange(drain_, false)) reply.add_items()->mutable_draining()->set_deadline_ms(1000);
  return !Cuts(message, /*before=*/false);
}

}  // namespace aaren
