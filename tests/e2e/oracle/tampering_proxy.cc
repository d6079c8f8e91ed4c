#include "tests/e2e/oracle/tampering_proxy.h"

#include <bit>
#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"

namespace aaren::oracle {

TamperingProxy::TamperingProxy(const std::string& server, Deed deed, int nth)
    : deed_(deed),
      nth_(nth),
      stub_(v1::Streaming::NewStub(grpc::CreateChannel(server, grpc::InsecureChannelCredentials()))) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
}

TamperingProxy::~TamperingProxy() { server_->Shutdown(std::chrono::system_clock::now()); }

std::string TamperingProxy::address() const { return absl::StrCat("127.0.0.1:", port_); }

grpc::Status TamperingProxy::Stream(grpc::ServerContext*,
                                    grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>* client) {
  grpc::ClientContext context;
  const auto server = stub_->Stream(&context);
  std::thread forth([&] {
    v1::ClientMessage message;
    while (client->Read(&message) && server->Write(message)) {
    }
    server->WritesDone();
  });
  v1::ServerMessage reply;
  while (server->Read(&reply)) {
    Spoil(reply);
    if (!client->Write(reply)) context.TryCancel();
  }
  const grpc::Status status = server->Finish();
  forth.join();
  return status;
}

void TamperingProxy::Spoil(v1::ServerMessage& reply) {
  absl::MutexLock lock(&mutex_);
  for (int i = 0; i < reply.items_size(); ++i) {
    if (!reply.items(i).has_forecasts()) continue;
    const int item = ++seen_;
    if (item < nth_ || (item > nth_ && deed_ != Deed::kSilence)) continue;
    v1::Forecasts& forecasts = *reply.mutable_items(i)->mutable_forecasts();
    if (deed_ == Deed::kFlipBit) {
      float& last = *(forecasts.mutable_values()->end() - 1);
      last = std::bit_cast<float>(std::bit_cast<uint32_t>(last) ^ 1);
    } else if (deed_ != Deed::kNone) {
      reply.mutable_items(i)->Clear();  // like an item of a later version, ignored by clients
    }
  }
}

}  // namespace aaren::oracle
