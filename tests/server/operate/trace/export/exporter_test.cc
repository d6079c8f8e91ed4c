#include "server/operate/trace/export/exporter.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"

namespace aaren::trace {
namespace {

namespace otlp = opentelemetry::proto::collector::trace::v1;

// A collector in this process, which answers batches as told.
class Collector final : public otlp::TraceService::Service {
 public:
  Collector() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~Collector() override {
    Answer();
    server_->Shutdown(std::chrono::system_clock::now());
  }

  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }

  void Refuse(grpc::StatusCode code) {
    absl::MutexLock lock(&mutex_);
    code_ = code;
  }
  void Reject(int64_t spans) {
    absl::MutexLock lock(&mutex_);
    rejected_ = spans;
  }
  void KeepSilent() {
    absl::MutexLock lock(&mutex_);
    silent_ = true;
  }
  void Answer() {
    absl::MutexLock lock(&mutex_);
    silent_ = false;
  }

  // From how many connections batches came.
  size_t connections() {
    absl::MutexLock lock(&mutex_);
    return peers_.size();
  }

  // Waits for `count` batches.
  std::vector<otlp::ExportTraceServiceRequest> Batches(size_t count) {
    absl::MutexLock lock(&mutex_);
    const auto enough = [this, count]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return batches_.size() >= count; };
    EXPECT_TRUE(mutex_.AwaitWithTimeout(absl::Condition(&enough), absl::Minutes(1)));
    return batches_;
  }

 private:
  grpc::Status Export(grpc::ServerContext* context, const otlp::ExportTraceServiceRequest* request,
                      otlp::ExportTraceServiceResponse* response) override {
    absl::MutexLock lock(&mutex_);
    batches_.push_back(*request);
    peers_.insert(context->peer());
    // Looks now and then for a cancelled call: a cancellation ends no wait.
    while (silent_ && !context->IsCancelled()) {
      const auto answers = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !silent_; };
      mutex_.AwaitWithTimeout(absl::Condition(&answers), absl::Milliseconds(5));
    }
    if (rejected_ > 0) response->mutable_partial_success()->set_rejected_spans(rejected_);
    return code_ == grpc::StatusCode::OK ? grpc::Status::OK : grpc::Status(code_, "no");
  }

  int port_ = 0;
  absl::Mutex mutex_;
  std::vector<otlp::ExportTraceServiceRequest> batches_ ABSL_GUARDED_BY(mutex_);
  grpc::StatusCode code_ ABSL_GUARDED_BY(mutex_) = grpc::StatusCode::OK;
  std::set<std::string> peers_ ABSL_GUARDED_BY(mutex_);
  int64_t rejected_ ABSL_GUARDED_BY(mutex_) = 0;
  bool silent_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<grpc::Server> server_;
};

constexpr absl::Duration kPatience = absl::Minutes(1);

class ExporterTest : public testing::Test {
 protected:
  // Starts an exporter that sends full batches at once, and the rest when stopped.
  void Start(const std::string& endpoint, absl::Duration deadline = absl::Minutes(1)) {
    exporter_.emplace(ExporterOptions{.endpoint = endpoint,
                                      .resource = {{"service.name", "x"}},
                                      .batch = 4,
                                      .period = absl::InfiniteDuration(),
                                      .deadline = deadline},
                      buffer_);
  }

  Collector collector_;
  SpanBuffer buffer_;
  std::optional<Exporter> exporter_;
};

TEST_F(ExporterTest, SendsABatchAsSoonAsItIsFull) {
  Start(collector_.address());
  buffer_.Add(std::vector<Span>(4));
  EXPECT_EQ(collector_.Batches(1)[0].resource_spans(0).scope_spans(0).spans_size(), 4);
}

TEST_F(ExporterTest, SendsWhatASpanHas) {
  Start(collector_.address());
  Span span{
      .name = "step", .kind = Span::Kind::kServer, .context = {{1}, {2}}, .parent = {3}, .begin_ns = 5, .end_ns = 8};
  span.attributes = {{"n", int64_t{7}}, {"s", std::string("w")}};
  span.links = {{{4}, {9}}};
  span.error = "INTERNAL";
  buffer_.Add({span});
  exporter_->Stop(kPatience);
  const auto batch = collector_.Batches(1)[0].resource_spans(0);
  EXPECT_EQ(batch.resource().attributes(0).key(), "service.name");
  EXPECT_EQ(batch.resource().attributes(0).value().string_value(), "x");
  const auto& sent = batch.scope_spans(0).spans(0);
  EXPECT_EQ(sent.name(), "step");
  EXPECT_EQ(sent.kind(), opentelemetry::proto::trace::v1::Span::SPAN_KIND_SERVER);
  EXPECT_EQ(sent.trace_id(), "\1" + std::string(15, '\0'));
  EXPECT_EQ(sent.span_id(), "\2" + std::string(7, '\0'));
  EXPECT_EQ(sent.parent_span_id(), "\3" + std::string(7, '\0'));
  EXPECT_EQ(sent.start_time_unix_nano(), 5u);
  EXPECT_EQ(sent.end_time_unix_nano(), 8u);
  EXPECT_EQ(sent.attributes(0).value().int_value(), 7);
  EXPECT_EQ(sent.attributes(1).value().string_value(), "w");
  EXPECT_EQ(sent.links(0).span_id(), "\x9" + std::string(7, '\0'));
  EXPECT_EQ(sent.status().code(), opentelemetry::proto::trace::v1::Status::STATUS_CODE_ERROR);
}

TEST_F(ExporterTest, StopSendsWhatIsLeftInBatches) {
  Start(collector_.address());
  buffer_.Add(std::vector<Span>(10));
  exporter_->Stop(kPatience);
  EXPECT_EQ(collector_.Batches(3).size(), 3u);
  EXPECT_EQ(exporter_->sent(), 10u);
  EXPECT_EQ(exporter_->dropped(), 0u);
}

TEST_F(ExporterTest, ACollectorThatIsAwayCostsSpans) {
  Start("127.0.0.1:1");
  buffer_.Add(std::vector<Span>(10));
  exporter_->Stop(kPatience);
  EXPECT_EQ(exporter_->sent(), 0u);
  EXPECT_EQ(exporter_->dropped(), 10u);
}

TEST_F(ExporterTest, ACollectorThatRefusesCostsSpans) {
  collector_.Refuse(grpc::StatusCode::RESOURCE_EXHAUSTED);
  Start(collector_.address());
  buffer_.Add(std::vector<Span>(3));
  exporter_->Stop(kPatience);
  EXPECT_EQ(exporter_->dropped(), 3u);
}

TEST_F(ExporterTest, SpansThatTheCollectorRejectsAreDropped) {
  collector_.Reject(2);
  Start(collector_.address());
  buffer_.Add(std::vector<Span>(3));
  exporter_->Stop(kPatience);
  EXPECT_EQ(exporter_->sent(), 1u);
  EXPECT_EQ(exporter_->dropped(), 2u);
}

TEST_F(ExporterTest, ABatchThatIsNotAnsweredInTimeIsGivenUpForTheNext) {
  collector_.KeepSilent();
  Start(collector_.address(), absl::Milliseconds(50));
  buffer_.Add(std::vector<Span>(8));
  EXPECT_EQ(collector_.Batches(2).size(), 2u);
  EXPECT_EQ(collector_.connections(), 2u);  // the peer of the first connection may have vanished
}

TEST_F(ExporterTest, StopGivesUpOnACollectorThatIsSilent) {
  collector_.KeepSilent();
  Start(collector_.address(), absl::InfiniteDuration());
  buffer_.Add(std::vector<Span>(8));
  (void)collector_.Batches(1);
  exporter_->Stop(absl::Milliseconds(10));  // else the call would last for ever
  EXPECT_EQ(exporter_->dropped(), 8u);
}

TEST_F(ExporterTest, GoesOnWhenTheCollectorIsBack) {
  collector_.Refuse(grpc::StatusCode::UNAVAILABLE);
  Start(collector_.address());
  buffer_.Add(std::vector<Span>(4));
  (void)collector_.Batches(1);
  // The answer to the first batch may still be on its way, refused or not.
  collector_.Refuse(grpc::StatusCode::OK);
  buffer_.Add(std::vector<Span>(4));
  exporter_->Stop(kPatience);
  EXPECT_GE(exporter_->sent(), 4u);
}

}  // namespace
}  // namespace aaren::trace
