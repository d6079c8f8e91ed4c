#include "tests/client/lying_services.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/client/fake_services.h"

namespace aaren {
namespace {

v1::SessionInfo OneSession() {
  v1::SessionInfo info;
  info.set_session_id("a");
  info.set_next_seq(4);
  info.set_model("sum:3");
  info.set_channels(1);
  info.set_state_bytes(8);
  info.set_last_active_ms(1700000000123);
  return info;
}

}  // namespace

class LyingServices::Services {
 public:
  explicit Services(Lie lie) : lie_(std::move(lie)) {}

  void Register(grpc::ServerBuilder& builder) {
    builder.RegisterService(&sessions_);
    builder.RegisterService(&models_);
    builder.RegisterService(&admin_);
  }

 private:
  using Context = grpc::ServerContext;

  template <typename Answer>
  grpc::Status Say(Answer honest, Answer* answer) const {
    *answer = std::move(honest);
    lie_(*answer);
    return grpc::Status::OK;
  }

  class Sessions : public v1::Sessions::Service {
   public:
    explicit Sessions(const Services& all) : all_(all) {}
    grpc::Status Get(Context*, const v1::GetSessionRequest*, v1::SessionInfo* answer) override {
      return all_.Say(OneSession(), answer);
    }
    grpc::Status List(Context*, const v1::ListSessionsRequest*, v1::ListSessionsResponse* answer) override {
      v1::ListSessionsResponse honest;
      *honest.add_sessions() = OneSession();
      return all_.Say(std::move(honest), answer);
    }
    grpc::Status Export(Context*, const v1::ExportSessionRequest*, v1::ExportSessionResponse* answer) override {
      return all_.Say(v1::ExportSessionResponse(), answer);
    }

   private:
    const Services& all_;
  };

  class Models : public v1::Models::Service {
   public:
    explicit Models(const Services& all) : all_(all) {}
    grpc::Status Get(Context*, const v1::GetModelRequest*, v1::ModelInfo* answer) override {
      return all_.Say(FakeModel(), answer);
    }
    grpc::Status List(Context*, const v1::ListModelsRequest*, v1::ListModelsResponse* answer) override {
      v1::ListModelsResponse honest;
      *honest.add_models() = FakeModel();
      honest.add_uses()->set_sessions(1);
      honest.add_labels()->set_label("sum@best");
      honest.set_default_model("sum:3");
      return all_.Say(std::move(honest), answer);
    }

   private:
    const Services& all_;
  };

  class Admin : public v1::Admin::Service {
   public:
    explicit Admin(const Services& all) : all_(all) {}
    grpc::Status GetSettings(Context*, const v1::GetSettingsRequest*, v1::GetSettingsResponse* answer) override {
      v1::GetSettingsResponse honest;
      honest.add_settings()->set_name("shards");
      return all_.Say(std::move(honest), answer);
    }
    grpc::Status ListShards(Context*, const v1::ListShardsRequest*, v1::ListShardsResponse* answer) override {
      v1::ListShardsResponse honest;
      honest.add_shards()->add_rows()->set_model("sum:3");
      return all_.Say(std::move(honest), answer);
    }
    grpc::Status ListStreams(Context*, const v1::ListStreamsRequest*, v1::ListStreamsResponse* answer) override {
      v1::ListStreamsResponse honest;
      honest.add_streams()->set_peer("127.0.0.1:1");
      return all_.Say(std::move(honest), answer);
    }
    grpc::Status ListTenantSessions(Context*, const v1::ListTenantSessionsRequest*,
                                    v1::ListTenantSessionsResponse* answer) override {
      v1::ListTenantSessionsResponse honest;
      *honest.add_sessions()->mutable_session() = OneSession();
      return all_.Say(std::move(honest), answer);
    }
    grpc::Status Profile(Context*, const v1::ProfileRequest*, v1::ProfileResponse* answer) override {
      v1::ProfileResponse honest;
      honest.set_folded("shard;Step 3\n");
      honest.set_samples(3);
      honest.set_interval_ms(10);
      return all_.Say(std::move(honest), answer);
    }
    grpc::Status WatchSession(Context*, const v1::WatchSessionRequest*, v1::WatchSessionResponse* answer) override {
      v1::WatchSessionResponse honest;
      honest.add_sessions()->set_session_id("a");
      return all_.Say(std::move(honest), answer);
    }

   private:
    const Services& all_;
  };

  const Lie lie_;
  Sessions sessions_{*this};
  Models models_{*this};
  Admin admin_{*this};
};

LyingServices::LyingServices(Lie lie) : services_(std::make_unique<Services>(std::move(lie))) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  services_->Register(builder);
  server_ = builder.BuildAndStart();
  target_ = absl::StrCat("127.0.0.1:", port);
}

LyingServices::~LyingServices() { server_->Shutdown(); }

}  // namespace aaren
