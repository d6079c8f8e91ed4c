#include "client/cli/sources/ahead/known_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "client/cli/sources/regular_source.h"
#include "tests/client/cli/temporary_file.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Rows are shown as "value: covariates | covariates ahead", with - for what is missing.
std::string Shown(double value) { return std::isnan(value) ? "-" : absl::StrCat(value); }

std::string Shown(const Row& row) {
  std::string text = absl::StrCat(Shown(row.values[0]), ":");
  for (const float covariate : row.covariates) absl::StrAppend(&text, " ", Shown(covariate));
  text += " |";
  for (const float ahead : row.future) absl::StrAppend(&text, " ", Shown(ahead));
  return text;
}

class KnownAheadTest : public ::testing::Test {
 protected:
  std::unique_ptr<KnownAhead> Open(const std::string& rows, const std::string& future = "", bool file = true) {
    rows_.Write(rows);
    auto source =
        RegularSource::Open("rows.csv", [this] { return OpenBytes(rows_.path()); }, file, csv_, {.step = step_});
    EXPECT_TRUE(source.ok()) << source.status();
    const RegularSource& regular = **source;
    KnownAheadOptions options{.horizon = 2, .file = file, .grid = [&regular] { return regular.grid(); }};
    if (!future.empty()) {
      future_.Write(future);
      auto further = FutureRows::Read(future_.path(), csv_, regular.has_times());
      EXPECT_TRUE(further.ok()) << further.status();
      options.further = *std::move(further);
    }
    return std::make_unique<KnownAhead>(*std::move(source), std::move(options));
  }

  static std::vector<std::string> Rest(RowSource& source) {
    std::vector<std::string> shown;
    Row row;
    absl::StatusOr<bool> any;
    while ((any = source.Next(row)).ok() && *any) shown.push_back(Shown(row));
    if (!any.ok()) shown.emplace_back(any.status().message());
    return shown;
  }

  CsvOptions csv_ = {.columns = "a", .past = "p", .future = "f"};
  std::string step_;
  TemporaryFile rows_, future_;
};

TEST_F(KnownAheadTest, RowsOfAFileKnowTheRowsBehindThem) {
  const auto source = Open("a,f,p\n1,10,5\n2,20,6\n3,30,7\n");
  EXPECT_THAT(Rest(*source), ElementsAre("1: 5 10 | 20 30", "2: 6 20 | 30 -", "3: 7 30 | - -"));
}

TEST_F(KnownAheadTest, RowsWithoutAValueAtTheEndAreKnownInAdvance) {
  const auto source = Open("a,f,p\n1,10,5\n,15,\n2,20,6\n,30,\n,40,\n,50,\n");
  EXPECT_THAT(Rest(*source), ElementsAre("1: 5 10 | 15 20", "-: - 15 | 20 30", "2: 6 20 | 30 40"));
  EXPECT_THAT(source->Summary(), ElementsAre(HasSubstr("3 rows at the end without a value")));
}

TEST_F(KnownAheadTest, SecondFileFollowsOnTheFirst) {
  const auto source = Open("a,f,p\n1,10,5\n2,20,6\n", "f\n30\n40\n50\n");
  EXPECT_THAT(Rest(*source), ElementsAre("1: 5 10 | 20 30", "2: 6 20 | 30 40"));
}

TEST_F(KnownAheadTest, SecondFileIsPlacedByItsTimes) {
  step_ = "1h";
  const auto source = Open("date,a,f,p\n2024-01-01 00:00,1,10,5\n2024-01-01 01:00,2,20,6\n",
                           "date,f\n2024-01-01 00:00,77\n2024-01-01 03:00,40\n");
  EXPECT_THAT(Rest(*source), ElementsAre("1: 5 10 | 20 -", "2: 6 20 | - 40"));
}

TEST_F(KnownAheadTest, PipeTakesWhatIsAheadFromTheSecondFile) {
  step_ = "1h";
  const auto source = Open("date,a,f,p\n2024-01-01 00:00,1,10,5\n2024-01-01 01:00,2,20,6\n",
                           "date,f\n2024-01-01 00:00,11\n2024-01-01 01:00,21\n2024-01-01 02:00,31\n", false);
  EXPECT_THAT(Rest(*source), ElementsAre("1: 5 10 | 21 31", "2: 6 20 | 31 -"));
}

TEST_F(KnownAheadTest, RowsOfAGapAreMissing) {
  const auto source = Open(
      "date,a,f,p\n2024-01-01 00:00,1,10,5\n2024-01-01 01:00,2,20,6\n2024-01-01 02:00,3,30,7\n"
      "2024-01-01 04:00,5,50,9\n2024-01-01 05:00,6,60,9\n");
  EXPECT_EQ(Rest(*source)[2], "3: 7 30 | - 50");
}

TEST_F(KnownAheadTest, GoesBackToAnyRow) {
  const auto source = Open("a,f,p\n1,10,5\n2,20,6\n3,30,7\n,40,\n");
  const std::vector<std::string> all = Rest(*source);
  ASSERT_TRUE(source->Seek(1).ok());
  EXPECT_THAT(Rest(*source), ElementsAre(all[1], all[2]));
  ASSERT_TRUE(source->Seek(0).ok());
  EXPECT_EQ(Rest(*source), all);
}

TEST_F(KnownAheadTest, BadRowIsToldBehindTheRowsBeforeIt) {
  const auto source = Open("a,f,p\n1,10,5\n,20,6\nx,30,7\n");
  EXPECT_THAT(Rest(*source), ElementsAre("1: 5 10 | 20 -", "-: 6 20 | - -", HasSubstr("line 4")));
}

TEST_F(KnownAheadTest, SecondFileWithoutTheTimesOfTheFirstIsRefused) {
  future_.Write("f\n1\n");
  const auto further = FutureRows::Read(future_.path(), csv_, /*has_times=*/true);
  EXPECT_THAT(std::string(further.status().message()), HasSubstr("has no times, unlike the rows before it"));
}

}  // namespace
}  // namespace aaren::cli
