#include "tests/bench/server/bare_echo.h"

#include <chrono>
#include <thread>

namespace aaren::bench {
namespace {

constexpr int kMaxEventsPerRound = 1024;
constexpr std::chrono::microseconds kPoll(50);
constexpr std::chrono::seconds kPark(1);

}  // namespace

// A call, with at most a read and a write under way. The tag of an operation is a pointer to its member.
class BareEcho::Stream {
 public:
  struct Tag {
    Stream* stream;
    void (Stream::*done)(bool ok);
  };

  explicit Stream(BareEcho& echo) : echo_(echo), io_(&context_) {
    echo_.service_.RequestStream(&context_, &io_, echo_.queue_.get(), echo_.queue_.get(), &accepted_);
  }

  void Flush() {
    touched_ = false;
    if (writing_ || pending_.items_size() == 0) return;
    writing_ = true;
    sending_.Clear();
    sending_.Swap(&pending_);
    io_.Write(sending_, &written_);
  }

 private:
  void OnAccepted(bool ok) {
    if (!ok) return delete this;
    echo_.Accept();
    io_.Read(&request_, &read_);
  }

  void OnRead(bool ok) {
    if (!ok) {
      ended_ = true;
      return FinishIfDone();
    }
    for (const v1::ClientItem& item : request_.items()) Answer(item);
    Touch();
    io_.Read(&request_, &read_);
  }

  void OnWritten(bool ok) {
    writing_ = false;
    if (ok && pending_.items_size() > 0) return Touch();
    FinishIfDone();
  }

  void OnFinished(bool) { delete this; }

  void Answer(const v1::ClientItem& item) {
    if (item.has_hello()) {
      pending_.add_items()->mutable_welcome()->set_protocol_version(1);
    } else if (item.has_open()) {
      pending_.add_items()->mutable_opened()->set_handle(item.open().handle());
    } else if (item.has_tokens()) {
      Echo(item.tokens());
    }
  }

  void Echo(const v1::Tokens& tokens) {
    v1::Forecasts& forecasts = *pending_.add_items()->mutable_forecasts();
    const int n = tokens.values_size();
    forecasts.set_handle(tokens.handle());
    forecasts.set_first_seq(tokens.first_seq());
    forecasts.set_next_seq(tokens.first_seq() + n);
    forecasts.set_durable_seq(tokens.delivered_seq());
    forecasts.mutable_values()->Resize(static_cast<int>(n * echo_.values_per_token_), tokens.values(0));
    *forecasts.mutable_times_ns() = tokens.times_ns();
    forecasts.set_step_ns(1);
  }

  void Touch() {
    if (touched_) return;
    touched_ = true;
    echo_.touched_.push_back(this);
  }

  void FinishIfDone() {
    if (ended_ && !writing_ && !touched_) io_.Finish(grpc::Status::OK, &finished_);
  }

  BareEcho& echo_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<v1::ServerMessage, v1::ClientMessage> io_;
  v1::ClientMessage request_;
  v1::ServerMessage pending_, sending_;
  bool writing_ = false, touched_ = false, ended_ = false;
  Tag accepted_{this, &Stream::OnAccepted}, read_{this, &Stream::OnRead}, written_{this, &Stream::OnWritten},
      finished_{this, &Stream::OnFinished};
};

BareEcho::BareEcho(size_t values_per_token) : values_per_token_(values_per_token) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(&service_);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  Accept();
  std::thread([this] { Loop(); }).detach();
}

void BareEcho::Accept() { new Stream(*this); }

void BareEcho::Loop() {
  using Clock = std::chrono::system_clock;
  Clock::time_point last_event = Clock::now();
  for (;;) {
    bool any = false;
    for (int i = 0; i < kMaxEventsPerRound; ++i) {
      void* tag;
      bool ok;
      const bool park = i == 0 && Clock::now() - last_event > kPoll;
      const auto status = park ? queue_->AsyncNext(&tag, &ok, Clock::now() + kPark)
                               : queue_->AsyncNext(&tag, &ok, gpr_inf_past(GPR_CLOCK_REALTIME));
      if (status == grpc::CompletionQueue::SHUTDOWN) return;
      if (status == grpc::CompletionQueue::TIMEOUT) break;
      auto& event = *static_cast<Stream::Tag*>(tag);
      (event.stream->*event.done)(ok);
      any = true;
    }
    if (any) last_event = Clock::now();
    std::vector<Stream*> touched;
    touched.swap(touched_);
    for (Stream* stream : touched) stream->Flush();
  }
}

}  // namespace aaren::bench
