#ifndef AAREN_TESTS_E2E_ORACLE_TAMPERING_PROXY_H_
#define AAREN_TESTS_E2E_ORACLE_TAMPERING_PROXY_H_

// A TamperingProxy stands between clients and a server, and breaks a promise, to show that the oracle notices. The
// proxy counts the Forecasts items of all its streams, and spoils one. Threading: safe from any thread.

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "aaren/v1/stream.grpc.pb.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace aaren::oracle {

class TamperingProxy : public v1::Streaming::Service {
 public:
  enum class Deed {
    kNone,
    kFlipBit,   // the last bit of the item's last value
    kLeaveOut,  // the item
    kSilence,   // the item and all later items
  };

  TamperingProxy(const std::string& server, Deed deed, int nth);
  ~TamperingProxy() override;

  std::string address() const;

  grpc::Status Stream(grpc::ServerContext* context,
                      grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>* client) override;

 private:
  void Spoil(v1::ServerMessage& reply) ABSL_LOCKS_EXCLUDED(mutex_);

  const Deed deed_;
  const int nth_;
  const std::unique_ptr<v1::Streaming::Stub> stub_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  absl::Mutex mutex_;
  int seen_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace aaren::oracle

#endif  // AAREN_TESTS_E2E_ORACLE_TAMPERING_PROXY_H_
