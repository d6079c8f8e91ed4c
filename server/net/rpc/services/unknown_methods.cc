#include "server/net/rpc/services/unknown_methods.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/net/rpc/event.h"

namespace aaren::rpc {
namespace {

constexpr size_t kShown = 128;  // bytes shown of a name that a client made up

class UnknownCall {
 public:
  UnknownCall(grpc::AsyncGenericService& service, UnaryHost& host)
      : service_(service), host_(host), count_(host.calls), io_(&context_) {
    service_.RequestCall(&context_, &io_, &host_.queue, &host_.queue, &accepted_);
  }

 private:
  void OnAccepted(bool ok) {
    if (!ok) return delete this;  // the server has shut down
    host_.last_words.WhenFew([&service = service_, &host = host_] { new UnknownCall(service, host); });
    host_.last_words.Begin(last_word_, [this] { context_.TryCancel(); });
    const std::string method = absl::CHexEscape(absl::string_view(context_.method()).substr(0, kShown));
    io_.Finish({grpc::StatusCode::UNIMPLEMENTED, absl::StrCat("there is no method ", method)}, &finished_);
  }

  void OnFinished(bool) { delete this; }

  grpc::AsyncGenericService& service_;
  UnaryHost& host_;
  CallCount count_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter io_;
  LastWords::Word last_word_;  // after context_
  CallEvent<UnknownCall> accepted_{this, &UnknownCall::OnAccepted}, finished_{this, &UnknownCall::OnFinished};
};

}  // namespace

void RefuseUnknownMethods(grpc::AsyncGenericService& service, UnaryHost& host) { new UnknownCall(service, host); }

}  // namespace aaren::rpc
