// The subcommands' words about a server that lies: a sentence that names the field, the value and the server, and never
// a signal. Each of the lies once ended the program or kept it busy for ever, or would have been shown as the truth.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands/command.h"
#include "client/load/load.h"
#include "tests/client/cli/temporary_file.h"
#include "tests/client/fake_server.h"
#include "tests/client/lying_services.h"

namespace aaren::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr uint64_t kFar = uint64_t{1} << 62;

// A server's calls are on several threads.
std::shared_ptr<std::atomic<int>> Counter() { return std::make_shared<std::atomic<int>>(0); }

struct StreamLie {
  std::string words;  // part of the expected error
  std::function<void(v1::ServerItem&)> tell;
  std::string of_evaluate = words;  // part of the error of aaren evaluate, which asks for other forecasts
  bool read_by_load = true;

  friend void PrintTo(const StreamLie& lie, std::ostream* out) { *out << lie.words; }
};

StreamLie InOpened(std::string words, std::function<void(v1::Opened&)> tell) {
  return {std::move(words), [tell](v1::ServerItem& item) {
            if (item.has_opened()) tell(*item.mutable_opened());
          }};
}

StreamLie InProgress(std::string words, std::function<void(v1::Forecasts&)> tell) {
  return {std::move(words), [tell](v1::ServerItem& item) {
            if (item.has_forecasts()) tell(*item.mutable_forecasts());
          }};
}

StreamLie UnreadByLoad(StreamLie lie) {
  lie.read_by_load = false;
  return lie;
}

// aaren load reads the handle and next_seq of a reply, and nothing else.
StreamLie InForecasts(std::string words, std::function<void(v1::Forecasts&)> tell) {
  return UnreadByLoad(InProgress(std::move(words), std::move(tell)));
}

StreamLie OfEvaluate(std::string words, StreamLie lie) {
  lie.of_evaluate = std::move(words);
  return lie;
}

StreamLie InWelcome(std::string words, std::function<void(v1::Welcome&)> tell) {
  return {std::move(words), [tell](v1::ServerItem& item) {
            if (item.has_welcome()) tell(*item.mutable_welcome());
          }};
}

StreamLie InsteadOfForecasts(std::string words, std::function<void(v1::ServerItem&)> tell) {
  return {std::move(words), [tell](v1::ServerItem& item) {
            if (item.has_forecasts()) tell(item);
          }};
}

std::vector<StreamLie> StreamLies() {
  return {
      InWelcome("Welcome.protocol_version 7", [](auto& w) { w.set_protocol_version(7); }),
      InWelcome("Limits.message_bytes 1;", [](auto& w) { w.mutable_limits()->set_message_bytes(1); }),
      InOpened("Opened.channels 0;", [](auto& o) { o.set_channels(0); }),
      UnreadByLoad(InOpened("Opened.channels 3;", [](auto& o) { o.set_channels(3); })),
      InOpened("Opened.channels 4294967295;", [](auto& o) { o.set_channels(UINT32_MAX); }),
      InOpened("Opened.next_seq 9223372036854775808;", [](auto& o) { o.set_next_seq(uint64_t{1} << 63); }),
      InOpened("Opened.durable_seq 1;", [](auto& o) { o.set_durable_seq(1); }),
      InOpened("Opened.step_ns -1;", [](auto& o) { o.set_step_ns(-1); }),
      InOpened("ModelInfo.quantiles of 0 levels", [](auto& o) { o.mutable_model()->clear_quantiles(); }),
      InOpened("ModelInfo.quantiles of 1001 levels",
               [](auto& o) {
                 for (int i = 0; i < 1000; ++i) o.mutable_model()->add_quantiles(0.5f);
               }),
      InOpened("ModelInfo.quantiles 0.1 behind 0.5;", [](auto& o) { o.mutable_model()->add_quantiles(0.1f); }),
      InOpened("ModelInfo.quantiles nan behind", [](auto& o) { o.mutable_model()->set_quantiles(0, kNan); }),
      InOpened("ModelInfo.quantiles 7 behind", [](auto& o) { o.mutable_model()->set_quantiles(0, 7); }),
      InOpened("ModelInfo.horizon 0;", [](auto& o) { o.mutable_model()->set_horizon(0); }),
      UnreadByLoad(InOpened("Opened.model.horizon 1;",
                            [](auto& o) {
                              o.mutable_model()->set_horizon(1);
                              o.mutable_model()->set_far_horizon(0);
                            })),
      InOpened("ModelInfo.far_horizon 4294967295;", [](auto& o) { o.mutable_model()->set_far_horizon(UINT32_MAX); }),
      InOpened("ModelInfo.horizon 4294967295;", [](auto& o) { o.mutable_model()->set_horizon(UINT32_MAX); }),
      InOpened("ModelInfo.version 4294967295;", [](auto& o) { o.mutable_model()->set_version(UINT32_MAX); }),
      InOpened("ModelInfo.name \"\";", [](auto& o) { o.mutable_model()->clear_name(); }),
      InForecasts(" 0 values", [](auto& f) { f.clear_values(); }),
      InForecasts(" values, 0 surprises", [](auto& f) { f.add_values(1); }),
      InForecasts(" 1 surprises", [](auto& f) { f.add_surprise(0.5f); }),
      InForecasts(" 1 times", [](auto& f) { f.add_times_ns(INT64_MIN); }),
      InForecasts(" 1 steps", [](auto& f) { f.add_steps_ns(1); }),
      InForecasts("Forecasts.steps_ns -1;",
                  [](auto& f) {
                    for (uint64_t i = f.first_seq(); i < f.next_seq(); ++i) f.add_steps_ns(-1);
                  }),
      InForecasts("Forecasts.step_ns -9223372036854775808;", [](auto& f) { f.set_step_ns(INT64_MIN); }),
      InForecasts("Forecasts.surprise 7;",
                  [](auto& f) {
                    for (uint64_t i = f.first_seq(); i < f.next_seq(); ++i) f.add_surprise(7);
                  }),
      InForecasts("Forecasts.surprise -inf;",
                  [](auto& f) {
                    for (uint64_t i = f.first_seq(); i < f.next_seq(); ++i) f.add_surprise(-kInfinity);
                  }),
      OfEvaluate("a reply to tokens 1 .. ",
                 InForecasts("left out its reply to token 0", [](auto& f) { f.set_first_seq(1); })),
      InForecasts("left out its reply to token ", [](auto& f) { f.set_first_seq(UINT64_MAX); }),
      InProgress("Forecasts.next_seq 18446744073709551615;", [](auto& f) { f.set_next_seq(UINT64_MAX); }),
      InForecasts("Forecasts.durable_seq 18446744073709551615;", [](auto& f) { f.set_durable_seq(UINT64_MAX); }),
      InProgress("answers under handle 77", [](auto& f) { f.set_handle(77); }),
      InsteadOfForecasts("Acked.next_seq 4611686018427387904;",
                         [](auto& item) { item.mutable_acked()->set_next_seq(kFar); }),
      InsteadOfForecasts("left out its reply to token ",
                         [](auto& item) {
                           const uint64_t next_seq = item.forecasts().next_seq();
                           item.mutable_acked()->set_next_seq(next_seq);
                         }),
      InsteadOfForecasts("says Closed at seq 0, unasked", [](auto& item) { item.mutable_closed(); }),
      InsteadOfForecasts("Status.code 0;", [](auto& item) { item.mutable_failed()->set_handle(0); }),
      InsteadOfForecasts("Status.code -5;",
                         [](auto& item) {
                           item.mutable_failed()->set_handle(0);
                           item.mutable_failed()->mutable_status()->set_code(-5);
                         }),
  };
}

// The error output of a subcommand.
std::string Said(int (*run)(Arguments), const std::vector<std::string>& words, int expected = 1) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const int status = run(words);
  testing::internal::GetCapturedStdout();
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, expected) << said;
  return said;
}

class StreamLiesTest : public testing::TestWithParam<StreamLie> {
 protected:
  StreamLiesTest() {
    std::string rows = "a\n";
    for (int i = 0; i < 40; ++i) absl::StrAppend(&rows, i % 7, "\n");
    csv_.Write(rows);
  }

  FakeServer server_{{.lie = [](v1::ServerMessage& message) {
    for (v1::ServerItem& item : *message.mutable_items()) GetParam().tell(item);
  }}};
  TemporaryFile csv_;
};

TEST_P(StreamLiesTest, StreamNamesIt) {
  const std::string said =
      Said(RunStream, {"--csv=" + csv_.path(), "--target=" + server_.target(), "--horizon=2", "--json"});
  EXPECT_THAT(said, AllOf(HasSubstr(GetParam().words), HasSubstr("server " + server_.target())));
}

TEST_P(StreamLiesTest, EvaluateNamesIt) {
  const std::string said = Said(RunEvaluate, {"--csv=" + csv_.path(), "--target=" + server_.target(), "--horizon=2"});
  EXPECT_THAT(said, AllOf(HasSubstr(GetParam().of_evaluate), HasSubstr("server " + server_.target())));
}

TEST_P(StreamLiesTest, LoadEndsAndCountsWhatItReads) {
  const absl::StatusOr<client::LoadReport> report = client::RunLoad({.target = server_.target(),
                                                                     .sessions = 2,
                                                                     .streams = 1,
                                                                     .duration = absl::Milliseconds(50),
                                                                     .settle = absl::Seconds(1),
                                                                     .drain = absl::Milliseconds(100)});
  const bool found = !report.ok() || report->errors > 0;
  EXPECT_EQ(found, GetParam().read_by_load) << (report.ok() ? report->first_error : report.status().ToString());
}

INSTANTIATE_TEST_SUITE_P(Of, StreamLiesTest, testing::ValuesIn(StreamLies()));

// CANCELLED is the program's own word for an output that nobody reads.
TEST(LiesTest, CancelledByTheServerIsTold) {
  FakeServer server({.lie = [](v1::ServerMessage& message) {
    for (v1::ServerItem& item : *message.mutable_items()) {
      if (!item.has_forecasts()) continue;
      item.mutable_failed()->set_handle(0);
      item.mutable_failed()->mutable_status()->set_code(static_cast<int>(absl::StatusCode::kCancelled));
      item.mutable_failed()->mutable_status()->set_message("no more");
    }
  }});
  const TemporaryFile csv("a\n1\n2\n3\n");
  EXPECT_THAT(Said(RunStream, {"--csv=" + csv.path(), "--target=" + server.target(), "--horizon=2", "--json"}),
              HasSubstr("no more (CANCELLED)"));
}

TEST(LiesTest, ForecastsThatAreNoNumbersAreShownAsNone) {
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    FakeServer server({.lie = [value](v1::ServerMessage& message) {
      for (v1::ServerItem& item : *message.mutable_items()) {
        if (!item.has_forecasts()) continue;
        for (float& one : *item.mutable_forecasts()->mutable_values()) one = value;
      }
    }});
    TemporaryFile csv;
    csv.Write("a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    testing::internal::CaptureStdout();
    const std::string flags[] = {"--csv=" + csv.path(), "--target=" + server.target(), "--horizon=2", "--json"};
    EXPECT_EQ(RunStream(flags), 0);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("\"quantiles\":{\"0.5\":[null,null]}"));
    const TemporaryFile report;
    testing::internal::CaptureStdout();
    const std::string more[] = {flags[0], flags[1], flags[2], "--report=" + report.path()};
    EXPECT_EQ(RunEvaluate(more), 0);
    testing::internal::GetCapturedStdout();
  }
}

// Every reply comes twice: the client hears each once.
TEST(LiesTest, RepliesThatAreRepeatedAreHeardOnce) {
  FakeServer server({.lie = [](v1::ServerMessage& message) {
    const v1::ServerMessage copy = message;
    message.MergeFrom(copy);
  }});
  TemporaryFile csv;
  csv.Write("a\n1\n2\n3\n");
  testing::internal::CaptureStdout();
  EXPECT_EQ(RunStream(std::vector<std::string>{"--csv=" + csv.path(), "--target=" + server.target(), "--horizon=2",
                                               "--json"}),
            0);
  const std::string lines = testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3) << lines;
}

struct UnaryLie {
  std::string words;
  int (*run)(Arguments);
  std::vector<std::string> asked;
  Lie tell;

  friend void PrintTo(const UnaryLie& lie, std::ostream* out) { *out << lie.words; }
};

UnaryLie OfSession(std::string words, std::function<void(v1::SessionInfo&)> tell) {
  return {std::move(words), RunSessions, {"get", "a"}, About<v1::SessionInfo>(std::move(tell))};
}

UnaryLie OfModels(std::string words, std::function<void(v1::ListModelsResponse&)> tell) {
  return {std::move(words), RunModels, {"list"}, About<v1::ListModelsResponse>(std::move(tell))};
}

UnaryLie OfShard(std::string words, std::function<void(v1::ShardInfo&)> tell) {
  return {std::move(words), RunDebug, {"shards"}, About<v1::ListShardsResponse>([tell = std::move(tell)](auto& answer) {
            tell(*answer.mutable_shards(0));
          })};
}

UnaryLie OfStream(std::string words, std::function<void(v1::StreamInfo&)> tell) {
  return {std::move(words),
          RunDebug,
          {"streams"},
          About<v1::ListStreamsResponse>([tell = std::move(tell)](auto& answer) { tell(*answer.mutable_streams(0)); })};
}

std::vector<UnaryLie> UnaryLies() {
  return {
      OfSession("SessionInfo.session_id \"\";", [](auto& s) { s.clear_session_id(); }),
      OfSession("SessionInfo.next_seq 18446744073709551615;", [](auto& s) { s.set_next_seq(UINT64_MAX); }),
      OfSession("SessionInfo.delivered_seq 9223", [](auto& s) { s.set_delivered_seq(uint64_t{1} << 63); }),
      OfSession("SessionInfo.channels 4294967295;", [](auto& s) { s.set_channels(UINT32_MAX); }),
      OfSession("SessionInfo.state_bytes 18446744073709551615;", [](auto& s) { s.set_state_bytes(UINT64_MAX); }),
      OfSession("SessionInfo.last_active_ms -1;", [](auto& s) { s.set_last_active_ms(-1); }),
      OfSession("SessionInfo.last_active_ms 9223372036854775807;", [](auto& s) { s.set_last_active_ms(INT64_MAX); }),
      {"leads back to itself", RunSessions, {"list"}, About<v1::ListSessionsResponse>([i = Counter()](auto& answer) {
         answer.mutable_sessions(0)->set_session_id((*i)++ == 0 ? "a" : "b");
         answer.set_next_page_token("again");
       })},
      {"goes back", RunSessions, {"list"}, About<v1::ListSessionsResponse>([i = Counter()](auto& answer) {
         answer.set_next_page_token(absl::StrCat(++*i));
       })},
      {"empty pages", RunSessions, {"list"}, About<v1::ListSessionsResponse>([i = Counter()](auto& answer) {
         answer.clear_sessions();
         answer.set_next_page_token(absl::StrCat(++*i));
       })},
      {"goes back", RunDebug, {"streams"}, About<v1::ListStreamsResponse>([i = Counter()](auto& answer) {
         answer.set_next_page_token(absl::StrCat(++*i));
       })},
      {"goes back",
       RunDebug,
       {"sessions", "default"},
       About<v1::ListTenantSessionsResponse>(
           [i = Counter()](auto& answer) { answer.set_next_page_token(absl::StrCat(++*i)); })},
      {"ExportSessionResponse.next_seq 9223",
       RunSessions,
       {"export", "a", "--output=/dev/null"},
       About<v1::ExportSessionResponse>([](auto& answer) { answer.set_next_seq(uint64_t{1} << 63); })},
      OfModels("ListModelsResponse.uses.size 2;", [](auto& m) { m.add_uses(); }),
      OfModels("uses.sessions 18446744073709551615;", [](auto& m) { m.mutable_uses(0)->set_sessions(UINT64_MAX); }),
      OfModels("ModelLabel.version 4294967295;", [](auto& m) { m.mutable_labels(0)->set_version(UINT32_MAX); }),
      OfModels("ModelLabel.share nan;", [](auto& m) { m.mutable_labels(0)->set_share(kNan); }),
      OfModels("ModelLabel.share -1;", [](auto& m) { m.mutable_labels(0)->set_share(-1); }),
      OfModels("ModelInfo.horizon 0;", [](auto& m) { m.mutable_models(0)->set_horizon(0); }),
      OfModels("ModelInfo.row_bytes 18446744073709551615;",
               [](auto& m) { m.mutable_models(0)->set_row_bytes(UINT64_MAX); }),
      {"ModelInfo.quantiles of 0 levels", RunModels, {"get", "sum"}, About<v1::ModelInfo>([](auto& answer) {
         answer.clear_quantiles();
       })},
      {"Setting.name \"\";", RunDebug, {"settings"}, About<v1::GetSettingsResponse>([](auto& answer) {
         answer.add_settings();
       })},
      OfShard("ShardInfo.busy nan;", [](auto& s) { s.set_busy(kNan); }),
      OfShard("ShardInfo.busy inf;", [](auto& s) { s.set_busy(kInfinity); }),
      OfShard("ShardInfo.slice_us 18446744073709551615;", [](auto& s) { s.set_slice_us(UINT64_MAX); }),
      OfShard("ShardInfo.round_ms 9223372036854775808;", [](auto& s) { s.set_round_ms(uint64_t{1} << 63); }),
      OfShard("ModelRows.used 18446744073709551615;", [](auto& s) { s.mutable_rows(0)->set_used(UINT64_MAX); }),
      OfStream("StreamInfo.age_ms 18446744073709551615;", [](auto& s) { s.set_age_ms(UINT64_MAX); }),
      OfStream("StreamInfo.unread_bytes 9223", [](auto& s) { s.set_unread_bytes(uint64_t{1} << 63); }),
      {"ProfileResponse.samples 18446744073709551615;",
       RunDebug,
       {"profile", "--seconds=1"},
       About<v1::ProfileResponse>([](auto& answer) { answer.set_samples(UINT64_MAX); })},
      {"WatchedSession.left_ms 18446744073709551615;",
       RunDebug,
       {"watch", "default", "a"},
       About<v1::WatchSessionResponse>([](auto& answer) { answer.mutable_sessions(0)->set_left_ms(UINT64_MAX); })},
  };
}

class UnaryLiesTest : public testing::TestWithParam<UnaryLie> {};

TEST_P(UnaryLiesTest, AreNamed) {
  const LyingServices server(GetParam().tell);
  std::vector<std::string> words = GetParam().asked;
  words.push_back("--target=" + server.target());
  EXPECT_THAT(Said(GetParam().run, words), AllOf(HasSubstr(GetParam().words), HasSubstr("server " + server.target())));
}

INSTANTIATE_TEST_SUITE_P(Of, UnaryLiesTest, testing::ValuesIn(UnaryLies()));

}  // namespace
}  // namespace aaren::cli
