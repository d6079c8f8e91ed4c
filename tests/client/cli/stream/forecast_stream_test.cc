#include "client/cli/stream/forecast_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/sources/ahead/known_ahead.h"
#include "client/cli/sources/recent_rows.h"
#include "client/cli/sources/regular_source.h"
#include "tests/client/cli/temporary_file.h"
#include "tests/client/fake_server.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kRows = 500;

// The fake server's forecasts of token s are [sum of values 0 .. s, s]: row i holds i, and a line tells the folded
// tokens.
class ForecastStreamTest : public ::testing::Test {
 protected:
  ForecastStreamTest() { WriteRows(kRows); }

  void WriteRows(int count, int begin = 1'700'000'000) const {
    std::string rows = "date,a\n";
    for (int i = 0; i < count; ++i) absl::StrAppend(&rows, begin + i, ",", i, "\n");
    csv_.Write(rows);
  }

  std::string Lines(int begin, int end, int every = 1) const {
    std::string lines;
    for (int i = begin; i < end; i += every) {
      absl::StrAppend(&lines, "{\"seq\":", i, ",\"time\":\"", 1'700'000'000 + i, "\",\"series\":\"a\",\"value\":", i,
                      ",\"surprise\":null,\"quantiles\":{\"0.5\":[", i * (i + 1) / 2, ",", i, "]}}\n");
    }
    return lines;
  }

  std::unique_ptr<RowSource> Rows(bool again = true) const {
    auto source = RegularSource::Open("rows.csv", [this] { return OpenBytes(csv_.path()); }, again, {}, {});
    EXPECT_TRUE(source.ok()) << source.status();
    return *std::move(source);
  }

  absl::Status Stream(RowSource& source, ForecastStreamOptions options = {.session = "s", .durable = true}) {
    auto output = OutputFile::Open(output_.path(), source.columns());
    if (!output.ok()) return output.status();
    options.target = server_.target();
    options.horizon = 2;
    options.source = "rows.csv";
    Interrupt interrupt;
    ForecastStream stream(options, source, output->get(), nullptr, interrupt);
    const absl::Status status = stream.Run();
    tokens_ = stream.tokens();
    return status;
  }

  absl::Status StreamFile() { return Stream(*Rows()); }

  FakeServer server_;
  TemporaryFile csv_;
  TemporaryFile output_;
  uint64_t tokens_ = 0;
};

TEST_F(ForecastStreamTest, WritesOneLinePerRowInOrder) {
  ASSERT_TRUE(StreamFile().ok());
  EXPECT_EQ(output_.Read(), Lines(0, kRows));
}

TEST_F(ForecastStreamTest, EveryLeavesOutTheRowsBetween) {
  ASSERT_TRUE(Stream(*Rows(), {.session = "s", .every = 10, .durable = true}).ok());
  EXPECT_EQ(output_.Read(), Lines(0, kRows, 10));
}

TEST_F(ForecastStreamTest, AskedLevelsStandInTheLines) {
  WriteRows(1);
  ASSERT_TRUE(Stream(*Rows(), {.session = "s", .levels = {0.25f, 0.75f}, .durable = true}).ok());
  EXPECT_THAT(output_.Read(), HasSubstr("\"quantiles\":{\"0.25\":[-0.25,-0.25],\"0.75\":[0.25,0.25]}}"));
}

TEST_F(ForecastStreamTest, GoesOnWhereAKilledProcessLeftTheFile) {
  ASSERT_TRUE(StreamFile().ok());
  for (size_t bytes : {output_.Read().size() - 1, output_.Read().size() / 3, size_t{30}}) {
    output_.Write(Lines(0, kRows).substr(0, bytes));
    server_.Forget();
    ASSERT_TRUE(StreamFile().ok());
    EXPECT_EQ(output_.Read(), Lines(0, kRows));
  }
}

TEST_F(ForecastStreamTest, FinishedStreamAddsNothing) {
  ASSERT_TRUE(StreamFile().ok());
  ASSERT_TRUE(StreamFile().ok());
  EXPECT_EQ(output_.Read(), Lines(0, kRows));
  EXPECT_EQ(tokens_, 0u);
}

TEST_F(ForecastStreamTest, BrokenStreamsLeaveNoTrace) {
  server_.CutAt({1, 2, 4, 5});
  ASSERT_TRUE(StreamFile().ok());
  EXPECT_EQ(output_.Read(), Lines(0, kRows));
}

TEST_F(ForecastStreamTest, LostSessionIsReplayedAndNamed) {
  output_.Write(Lines(0, 100));
  testing::internal::CaptureStderr();
  ASSERT_TRUE(StreamFile().ok());
  EXPECT_EQ(output_.Read(), Lines(0, kRows));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("the server lost session \"s\"; rows 0 .. 99 are replayed"));
}

TEST_F(ForecastStreamTest, AnotherFileDoesNotGoOnBehindARecord) {
  output_.Write(Lines(0, 100));
  WriteRows(kRows, /*begin=*/1'700'001'000);
  const absl::Status status = StreamFile();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("row 99 of rows.csv is of \"1700001099\", and the record ends "
                                                       "with a row of \"1700000099\""));
  EXPECT_EQ(output_.Read(), Lines(0, 100));
  // The server had lost the session, and the record's file can fill the session again.
  WriteRows(kRows);
  ASSERT_TRUE(StreamFile().ok());
  EXPECT_EQ(output_.Read(), Lines(0, kRows));
}

TEST_F(ForecastStreamTest, FileThatEndsBeforeItsRecordIsNamed) {
  output_.Write(Lines(0, 100));
  WriteRows(50);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(StreamFile().ok());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("rows.csv ends before row 50, and the record has forecasts below row 100: none is new"));
}

TEST_F(ForecastStreamTest, PipeIsSkippedToWhereTheSessionIs) {
  WriteRows(400);
  ASSERT_TRUE(StreamFile().ok());
  WriteRows(kRows);
  RecentRows rows(Rows(/*again=*/false), 16);
  ASSERT_TRUE(Stream(rows).ok());
  EXPECT_EQ(output_.Read(), Lines(0, kRows));
}

TEST_F(ForecastStreamTest, SessionIsDeletedIfAskedTo) {
  ASSERT_TRUE(Stream(*Rows(), {.session = "s", .delete_session = true}).ok());
  EXPECT_FALSE(server_.exists("s"));
}

TEST_F(ForecastStreamTest, SessionIsKeptOtherwise) {
  ASSERT_TRUE(StreamFile().ok());
  EXPECT_EQ(server_.next_seq("s"), static_cast<uint64_t>(kRows));
  EXPECT_EQ(server_.delivered("s"), static_cast<uint64_t>(kRows));
}

TEST_F(ForecastStreamTest, RowsBeforeABadOneAreDelivered) {
  csv_.Write("date,a\n1700000000,0\n1700000001,1\n1700000002,x\n");
  const absl::Status status = StreamFile();
  EXPECT_THAT(std::string(status.message()), HasSubstr("line 4"));
  EXPECT_EQ(output_.Read(), Lines(0, 2));
}

TEST_F(ForecastStreamTest, RefusalCarriesTheServersMessageAndCode) {
  server_.FailNextOpen(5, "no model oracle", 0);
  EXPECT_THAT(std::string(StreamFile().message()), StartsWith("stream: session \"s\": no model oracle (NOT_FOUND)"));
}

TEST_F(ForecastStreamTest, FullServerIsWaitedForAndThatIsSaidOnce) {
  server_.FailNextOpen(8, "no slot left", /*retry_ms=*/5, /*opens=*/3);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(StreamFile().ok());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(output_.Read(), Lines(0, kRows));
  EXPECT_THAT(said, HasSubstr("session \"s\": no slot left; waiting for the server"));
  EXPECT_EQ(std::vector<std::string>(absl::StrSplit(said, "no slot left")).size(), 2u);
}

TEST_F(ForecastStreamTest, FullDiskEndsTheStream) {
  const auto source = Rows();
  auto output = OutputFile::Open("/dev/full", source->columns());
  ASSERT_TRUE(output.ok());
  Interrupt interrupt;
  ForecastStream stream({.target = server_.target(), .session = "s", .horizon = 2, .durable = true}, *source,
                        output->get(), nullptr, interrupt);
  EXPECT_THAT(std::string(stream.Run().message()), HasSubstr("/dev/full"));
  EXPECT_EQ(server_.delivered("s"), 0u);
}

TEST_F(ForecastStreamTest, ServerThatIsNotThereIsGivenUp) {
  server_.Stop();
  const auto source = Rows();
  Interrupt interrupt;
  ForecastStream stream(
      {.target = server_.target(), .session = "s", .horizon = 2, .connect_timeout = absl::Milliseconds(200)}, *source,
      nullptr, nullptr, interrupt);
  EXPECT_THAT(std::string(stream.Run().message()), HasSubstr(server_.target()));
}

// Notes whether a thread other than the owner's reads the source.
class OneThreadRows : public RowSource {
 public:
  explicit OneThreadRows(std::unique_ptr<RowSource> source) : source_(std::move(source)) {}

  const std::vector<std::string>& columns() const override { return Note(), source_->columns(); }
  bool has_times() const override { return Note(), source_->has_times(); }
  bool has_marks() const override { return Note(), source_->has_marks(); }
  absl::StatusOr<bool> Next(Row& row) override { return Note(), source_->Next(row); }
  bool ready() override { return Note(), source_->ready(); }
  absl::Status Seek(uint64_t seq) override { return Note(), source_->Seek(seq); }
  bool CanSeek(uint64_t seq) const override { return source_->CanSeek(seq); }
  bool read_elsewhere() const { return elsewhere_; }

 private:
  void Note() const {
    if (std::this_thread::get_id() != owner_) elsewhere_ = true;
  }

  const std::unique_ptr<RowSource> source_;
  const std::thread::id owner_ = std::this_thread::get_id();
  mutable std::atomic<bool> elsewhere_ = false;
};

TEST_F(ForecastStreamTest, ClientsThreadDoesNotReadTheSource) {
  OneThreadRows rows(Rows());
  server_.CutAt({1, 2});
  ASSERT_TRUE(Stream(rows).ok());
  EXPECT_FALSE(rows.read_elsewhere());
}

TEST_F(ForecastStreamTest, StoppedStreamDeliversWhatIsInFlight) {
  const auto source = Rows();
  auto output = OutputFile::Open(output_.path(), source->columns());
  ASSERT_TRUE(output.ok());
  Interrupt interrupt;
  interrupt.Stop();
  ForecastStream stream({.target = server_.target(), .session = "s", .horizon = 2, .durable = true}, *source,
                        output->get(), nullptr, interrupt);
  EXPECT_EQ(stream.Run().code(), absl::StatusCode::kCancelled);  // stopped before the session was open
  EXPECT_EQ(output_.Read(), "");
}

TEST_F(ForecastStreamTest, CovariatesComeThroughBrokenStreams) {
  csv_.Write("a,p,f\n1,10,100\n2,20,200\n3,30,300\n,,400\n");
  auto rows = RegularSource::Open("rows.csv", [this] { return OpenBytes(csv_.path()); }, true,
                                  {.past = "p", .future = "f"}, {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  KnownAhead source(*std::move(rows), {.horizon = 2});
  server_.CutAt({1, 2});
  ASSERT_TRUE(Stream(source).ok());
  EXPECT_EQ(server_.covariates("s").past(), 1u);
  EXPECT_EQ(server_.covariates("s").future(), 1u);
  // Covariates count as values, and what is known in advance is added to the second number: 200 + 300 to 0 at row 0.
  EXPECT_THAT(output_.Read(), HasSubstr("\"value\":1,\"surprise\":null,\"quantiles\":{\"0.5\":[111,500]}}"));
  EXPECT_THAT(output_.Read(), HasSubstr("\"value\":3,\"surprise\":null,\"quantiles\":{\"0.5\":[666,402]}}"));
  EXPECT_EQ(server_.next_seq("s"), 3u);
}

// The fake server uses the value as its surprise. Row i of 100 holds i / 100: at a rate of 0.05 rows 98 and 99 are
// alerts, and 1 and 2; row 0 has no forecast before it.
class AlertStreamTest : public ::testing::Test {
 protected:
  AlertStreamTest() {
    std::string rows = "a\n";
    for (int i = 0; i < 100; ++i) absl::StrAppend(&rows, i / 100.0, "\n");
    csv_.Write(rows);
  }

  std::string Stream(ForecastStreamOptions options) {
    auto source = RegularSource::Open("rows.csv", [this] { return OpenBytes(csv_.path()); }, true, {}, {});
    auto output = OutputFile::Open(output_.path(), {"a"});
    EXPECT_TRUE(source.ok() && output.ok());
    options.target = server_.target();
    options.session = "s";
    options.horizon = 2;
    Interrupt interrupt;
    ForecastStream stream(options, **source, output->get(), nullptr, interrupt);
    EXPECT_EQ(stream.Run(), absl::OkStatus());
    return stream.alerts() ? stream.alerts()->Summary() : "";
  }

  // The seqs of the lines written.
  std::vector<std::string> Written() const {
    std::vector<std::string> seqs;
    for (absl::string_view line : absl::StrSplit(output_.Read(), '\n', absl::SkipEmpty())) {
      line.remove_prefix(line.find(':') + 1);
      seqs.emplace_back(line.substr(0, line.find(',')));
    }
    return seqs;
  }

  FakeServer server_{FakeServer::Options{.surprises = true}};
  TemporaryFile csv_;
  TemporaryFile output_;
};

TEST_F(AlertStreamTest, CountsAlertsAmongValuesWithASurprise) {
  EXPECT_EQ(Stream({.alert = AlertRule(0.05)}), "alerts: 4 of 99 values; the rate 0.05 makes 5.0 expected");
  EXPECT_EQ(Written().size(), 100u);
}

TEST_F(AlertStreamTest, CountsNothingTwiceWhenStreamsBreak) {
  server_.CutAt({1, 2, 4, 5});
  EXPECT_EQ(Stream({.durable = true, .alert = AlertRule(0.05)}),
            "alerts: 4 of 99 values; the rate 0.05 makes 5.0 expected");
}

TEST_F(AlertStreamTest, OnlyRowsWithAnAlertAreWrittenIfAskedFor) {
  Stream({.alert = AlertRule(0.05), .alerts_only = true});
  EXPECT_THAT(Written(), ElementsAre("1", "2", "98", "99"));
}

TEST_F(AlertStreamTest, WithoutARateNothingIsJudged) { EXPECT_EQ(Stream({}), ""); }

}  // namespace
}  // namespace aaren::cli
