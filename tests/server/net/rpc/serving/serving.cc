#include "tests/server/net/rpc/serving/serving.h"

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"

namespace aaren::rpc {

Serving::Serving() {
  package::ModelPackage package;
  package.name = "sum";
  package.description = "adds up";
  package.config = SumConfig();
  package.digest = "d1935";
  package.training = {{"seed", "7"}};
  const absl::Status added = models_.Add(std::move(package), NewSumEngine());
  EXPECT_TRUE(added.ok()) << added;
  Start(Options());
}

rpc::ServerOptions Serving::Options() {
  rpc::ServerOptions options;
  options.shard.save_interval = absl::Hours(1);
  return options;
}

void Serving::Start(const rpc::ServerOptions& options, const session::Clock& clock) {
  server_.reset();
  absl::StatusOr<std::unique_ptr<rpc::Server>> server = rpc::Server::Start(options, models_, store_, clock);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
}

std::shared_ptr<grpc::Channel> Serving::NewChannel() const {
  static std::atomic<int> channels{0};
  grpc::ChannelArguments arguments;
  arguments.SetString("channel", absl::StrCat(++channels));
  return grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), arguments);
}

bool Serving::Eventually(const std::function<bool()>& holds) {
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!holds()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(1));
  }
  return true;
}

}  // namespace aaren::rpc
