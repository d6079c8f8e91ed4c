// Traced messages over a real stream have spans, and the spans a tenant.

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "server/operate/trace/span_buffer.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using testing::ElementsAre;
using trace::Span;

class TracesTest : public Serving {
 protected:
  TracesTest() { Start(Traced()); }
  ~TracesTest() override { server_.reset(); }  // before the buffer goes

  rpc::ServerOptions Traced() {
    rpc::ServerOptions options = Options();
    options.traces = {.share = 1, .seed = 3};
    options.spans = &spans_;
    return options;
  }

  // Each trace's spans by name, once `count` traces are complete; in the order of ends.
  std::vector<std::map<std::string, Span>> Traces(size_t count) {
    EXPECT_TRUE(Eventually([&] {
      for (Span& span : spans_.Take(100, absl::ZeroDuration())) {
        if (span.name == std::string("message")) traces_.emplace_back();
        if (!traces_.empty()) traces_.back().emplace(span.name, std::move(span));
      }
      return traces_.size() >= count;
    }));
    return traces_;
  }

  static std::vector<std::string> NamesOf(const std::map<std::string, Span>& trace) {
    std::vector<std::string> names;
    for (const auto& [name, span] : trace) names.push_back(name);
    return names;
  }

  static int64_t NumberOf(const Span& span, const std::string& attribute) {
    for (const auto& [name, value] : span.attributes) {
      if (name == attribute) return std::get<int64_t>(value);
    }
    ADD_FAILURE() << "no " << attribute;
    return -1;
  }

  trace::SpanBuffer spans_;
  std::vector<std::map<std::string, Span>> traces_;
};

TEST_F(TracesTest, AMessageLeavesASpanOfEachPartOfItsLife) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(TokensItem(0, 0, {1, 2, 3}));
  ASSERT_TRUE(stream.Receive().has_forecasts());
  const std::map<std::string, Span> trace = Traces(1)[0];
  ASSERT_THAT(NamesOf(trace), ElementsAre("message", "queue", "read", "step", "write"));
  const Span& message = trace.at("message");
  for (const auto& [name, span] : trace) {
    EXPECT_EQ(span.context.trace, message.context.trace);
    EXPECT_GE(span.begin_ns, message.begin_ns) << name;
    EXPECT_LE(span.end_ns, message.end_ns) << name;
    EXPECT_LE(span.begin_ns, span.end_ns) << name;
    EXPECT_EQ(span.parent, name == "message" ? trace::SpanId{} : message.context.span) << name;
  }
  EXPECT_LE(trace.at("read").end_ns, trace.at("queue").begin_ns);
  EXPECT_LE(trace.at("queue").end_ns, trace.at("step").begin_ns);
  EXPECT_LE(trace.at("step").end_ns, trace.at("write").begin_ns);
  EXPECT_EQ(NumberOf(message, "aaren.tokens"), 3);
  EXPECT_EQ(NumberOf(trace.at("step"), "aaren.batch_tokens"), 3);
}

TEST_F(TracesTest, AMessageOfSeveralSessionsIsOneTrace) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Open(1, "b");
  stream.Send({TokensItem(0, 0, {1}), TokensItem(1, 0, {1, 2}), TokensItem(0, 1, {3})});
  for (int reply = 0; reply < 3; ++reply) ASSERT_TRUE(stream.Receive().has_forecasts());
  const Span message = Traces(1)[0].at("message");
  EXPECT_EQ(NumberOf(message, "aaren.items"), 3);
  EXPECT_EQ(NumberOf(message, "aaren.sessions"), 2);
  EXPECT_EQ(NumberOf(message, "aaren.tokens"), 4);
}

TEST_F(TracesTest, TokensThatWaitForTheirOpenAreFollowed) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Send({OpenItem(0, "a"), TokensItem(0, 0, {1, 2})});
  ASSERT_TRUE(stream.Receive().has_opened());
  ASSERT_TRUE(stream.Receive().has_forecasts());
  const std::map<std::string, Span> trace = Traces(1)[0];
  EXPECT_THAT(NamesOf(trace), ElementsAre("message", "queue", "read", "step", "write"));
  EXPECT_EQ(NumberOf(trace.at("message"), "aaren.tokens"), 2);
}

TEST_F(TracesTest, ARefusalIsAnErrorThatNamesNothingOfTheClients) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "secret");
  stream.Send(TokensItem(0, 77, {1}));
  ASSERT_TRUE(stream.Receive().has_failed());
  const std::map<std::string, Span> trace = Traces(1)[0];
  EXPECT_EQ(trace.at("message").error, "OUT_OF_RANGE SEQUENCE_GAP");
  EXPECT_FALSE(trace.contains("step"));
}

TEST_F(TracesTest, ABrokenContractIsAnError) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Send({TokensItem(0, 0, {1}), HelloItem()});
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Traces(1)[0].at("message").error, "INVALID_ARGUMENT");
}

TEST_F(TracesTest, DuplicatesAreReadAndNotStepped) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  for (int times = 0; times < 2; ++times) {
    stream.Send(TokensItem(0, 0, {1}));
    stream.Receive();
  }
  const std::map<std::string, Span> trace = Traces(2)[1];
  EXPECT_THAT(NamesOf(trace), ElementsAre("message", "read", "write"));
  EXPECT_EQ(NumberOf(trace.at("message"), "aaren.tokens"), 0);
}

TEST_F(TracesTest, ASavedReplyIsWrittenBehindItsSave) {
  TestStream stream(NewChannel());
  stream.Greet();
  v1::ClientItem open = OpenItem(0, "a");
  open.mutable_open()->set_durability(v1::Open::EVERY_TOKEN);
  stream.Open(open);
  stream.Send(TokensItem(0, 0, {1}));
  ASSERT_TRUE(stream.Receive().has_forecasts());
  Span store;
  EXPECT_TRUE(Eventually([&] {
    for (Span& span : spans_.Take(1, absl::ZeroDuration())) store = std::move(span);
    return store.name == std::string("store");
  }));
  const std::map<std::string, Span> trace = Traces(1)[0];
  EXPECT_EQ(store.parent, trace.at("message").context.span);
  EXPECT_LE(trace.at("step").end_ns, store.begin_ns);
  EXPECT_LE(store.end_ns, trace.at("write").begin_ns);
}

TEST_F(TracesTest, TheClientsTraceIsLinkedIfThereIsOne) {
  const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
  for (const TestStream::Metadata& metadata :
       std::vector<TestStream::Metadata>{{{"traceparent", parent}},
                                         {{"traceparent", "00-nonsense"}},
                                         {{"traceparent", parent}, {"traceparent", parent}}}) {
    TestStream stream(NewChannel(), metadata);
    stream.Greet();
    stream.Open(0, "a");
    stream.Send(TokensItem(0, 0, {1}));
    stream.Receive();
    (void)Traces(traces_.size() + 1);
  }
  ASSERT_EQ(traces_.size(), 3u);
  ASSERT_EQ(traces_[0].at("message").links.size(), 1u);
  EXPECT_EQ(trace::Hex(traces_[0].at("message").links[0].trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_TRUE(traces_[1].at("message").links.empty());
  EXPECT_TRUE(traces_[2].at("message").links.empty());
}

TEST_F(TracesTest, AMessageThatOnlyOpensIsNotTraced) {
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.HalfClose();
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_TRUE(spans_.Take(100, absl::ZeroDuration()).empty());
}

TEST_F(TracesTest, NothingIsTracedWithoutABufferForIt) {
  Start(Options());
  EXPECT_TRUE(server().trace_counters().empty());
}

}  // namespace
}  // namespace aaren::rpc
