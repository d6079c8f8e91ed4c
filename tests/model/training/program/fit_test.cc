// The subcommand fit, run as a user runs programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/engine/events/event_package.h"
#include "model/package/package.h"
#include "tests/model/training/program/train_program.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Without python3, because its methods take longer than all the rest.
constexpr char kSmallFit[] = " fit --steps=2 --check_every=1 --batch=1 --threads=1 --windows=4";
constexpr char kNoPython[] = "PATH=/nowhere ";

Outcome Fit(const std::string& arguments) { return Execute(arguments, kNoPython); }

// A daily wave with a missing value, and a series of ones.
std::string WaveCsv(int rows = 400) {
  const std::string path = Folder() + "/wave.csv";
  std::ofstream file(path);
  file << "time,load,level\n";
  for (int t = 0; t < rows; ++t) {
    file << t << "," << (t == 100 ? "" : absl::StrCat(10 + std::sin(t * 0.2618))) << "," << t % 7 << "\n";
  }
  return path;
}

std::string EventsFile(int streams = 3, int events = 60) {
  const std::string path = Folder() + "/events.csv";
  std::ofstream file(path);
  file << "time,mark,series\n";
  for (int s = 0; s < streams; ++s) {
    for (int i = 0; i < events; ++i) file << 10 * i + i % 3 << ",m" << i % 4 << ",s" << s << "\n";
  }
  return path;
}

TEST(FitTest, WritesAPackageWithItsOriginAndComparesIt) {
  const std::string output = Folder() + "/model";
  const Outcome outcome = Fit(absl::StrCat(kSmallFit, " --keep --name=mine --csv=", WaveCsv(), " --output=", output));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  for (const char* part :
       {"mine", "aaren-univariate", "last value", "seasonal naive", "quantile loss is", "without AutoETS"}) {
    EXPECT_THAT(outcome.text, HasSubstr(part));
  }
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(output);
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_EQ(package->name, "mine");
  EXPECT_EQ(package->training.count("from"), 1u);
  EXPECT_THAT(outcome.text, HasSubstr(" --default_model=mine"));
}

TEST(FitTest, AModelThatIsNotBetterIsNotWrittenAndItsFolderIsGone) {
  const std::string output = Folder() + "/model";
  const Outcome outcome =
      Fit(absl::StrCat(kSmallFit, " --anew --horizon=4 --csv=", WaveCsv(), " --columns=load --output=", output));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("The new model is not better than aaren-univariate"));
  EXPECT_THAT(outcome.text, HasSubstr("Nothing was written"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(FitTest, AnInterruptedRunKeepsTheBestWeightsSoFar) {
  const std::string folder = Folder(), log = folder + "/log";
  const Outcome outcome =
      Fit(absl::StrCat(kSmallFit, " --steps=100000 --patience=100000 --keep --csv=", WaveCsv(), " --output=", folder,
                       "/model 2>", log, " & job=$!; while kill -0 $job && ! grep -q 'step 1/' ", log,
                       "; do sleep 0.05; done; kill -INT $job; wait $job", " #"));
  EXPECT_THAT(outcome.text, HasSubstr("Wrote " + folder + "/model"));
  EXPECT_TRUE(package::LoadPackage(folder + "/model").ok());
}

TEST(FitTest, AFullDiskEndsInOneLineThatNamesTheFile) {
  const std::string output = Folder() + "/model";
  std::filesystem::create_directories(output);
  std::filesystem::create_symlink("/dev/full", output + "/model.json.new");
  const Outcome outcome = Fit(absl::StrCat(kSmallFit, " --keep --csv=", WaveCsv(), " --output=", output));
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("aaren-train: " + output + "/model.json.new: cannot write"));
}

TEST(FitTest, SeriesBelowEachOtherAreToldApart) {
  const std::string path = Folder() + "/long.csv";
  std::ofstream file(path);
  file << "shop,sales\n";
  for (int t = 0; t < 400; ++t) file << "a," << t % 5 << "\nb," << t % 7 << "\nc,1\n";
  file.close();
  const Outcome outcome =
      Fit(absl::StrCat(kSmallFit, " --keep --series_column=shop --csv=", path, " --output=", Folder(), "/model"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
}

// A file of two shops, with a column known in advance and a column that is not.
std::string ShopsCsv() {
  const std::string path = Folder() + "/shops.csv";
  std::ofstream file(path);
  file << "shop,sales,offer,visitors\n";
  for (int t = 0; t < 400; ++t) {
    const bool offer = (t / 5 * 2654435761u >> 20) % 3 == 0;  // at no regular times
    for (const char* shop : {"a", "b"}) {
      file << shop << "," << t % 7 + 4 * offer << "," << offer << "," << t % 11 << "\n";
    }
  }
  return path;
}

TEST(FitTest, CovariatesAreNoSeriesAndCountInTheComparison) {
  const std::string fit = absl::StrCat(kSmallFit, " --keep --series_column=shop --csv=", ShopsCsv());
  const Outcome with = Fit(absl::StrCat(fit, " --future=offer --past=visitors --output=", Folder(), "/with"));
  ASSERT_EQ(with.exit_code, 0) << with.text;
  const Outcome without = Fit(absl::StrCat(fit, " --columns=sales --output=", Folder(), "/without"));
  ASSERT_EQ(without.exit_code, 0) << without.text;
  const auto bundled = [](const Outcome& outcome) {
    const size_t line = outcome.text.find("aaren-univariate");
    return outcome.text.substr(line, outcome.text.find('\n', line) - line);
  };
  EXPECT_NE(bundled(with), bundled(without)) << "the bundled model has its covariates, too";
}

TEST(FitTest, WrongCovariatesAreNamed) {
  const std::string fit = absl::StrCat(kSmallFit, " --output=x --csv=", ShopsCsv(), " --series_column=shop");
  ExpectUserError(fit + " --future=price", "no column \"price\"; it has shop, sales, offer, visitors");
  ExpectUserError(fit + " --future=offer --past=offer", "column \"offer\" is named twice");
  ExpectUserError(fit + " --past=1,2,3,4,5 --future=6,7,8,9", "name 9 columns; a series has at most 8");
  ExpectUserError(fit + " --past=sales,visitors --future=offer", "no column of numbers but the covariates");
  ExpectUserError(" fit --events=a --output=x --past=b", "--past and --future are columns of --csv");
}

TEST(FitTest, APackageThatCannotBeComparedIsRefusedBeforeTheTraining) {
  const std::string folder = Folder();
  const Outcome other = Execute(
      " --steps=1 --batch=2 --context=64 --ring=16 --width=16 --layers=1 --heads=2"
      " --value_width=16 --embed_hidden=16 --mlp_hidden=16 --horizon=4"
      " --quantiles=0.25,0.5,0.75 --output=" +
      folder + "/other");
  ASSERT_EQ(other.exit_code, 0) << other.text;
  const Outcome outcome = Fit(absl::StrCat(kSmallFit, " --anew --horizon=4 --from=", folder, "/other --csv=", WaveCsv(),
                                           " --output=", folder, "/model"));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("has other quantiles"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("trained 2 steps")));
}

TEST(FitTest, SeriesThatAreTooShortAreNamed) {
  ExpectUserError(absl::StrCat(kSmallFit, " --output=x --csv=", WaveCsv(144)),
                  "a horizon of 48 needs series of more than 144 rows; these have fewer: time (144), load (144)");
}

TEST(FitTest, WrongFlagsAreNamed) {
  ExpectUserError(" fit --output=x", "either --csv=FILE or --events=FILE");
  ExpectUserError(" fit --output=x --csv=a --events=b", "either --csv=FILE or --events=FILE");
  ExpectUserError(" fit --csv=a", "--output=FOLDER is required");
  ExpectUserError(" fit --csv=a --output=x --horizon=12", "--horizon needs --anew");
  ExpectUserError(" fit --csv=a --output=x --missing=none", "--missing=none");
  ExpectUserError(" fit --csv=/nowhere/a.csv --output=x", "/nowhere/a.csv");
  ExpectUserError(" fit --csv=a --output=x --from=/nowhere/m", "/nowhere/m");
}

TEST(FitEventsTest, WritesAPackageAndComparesItBesideTheRules) {
  const std::string output = Folder() + "/model";
  const Outcome outcome =
      Fit(absl::StrCat(kSmallFit, " --keep --name=mine --events=", EventsFile(), " --output=", output));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  for (const char* part : {"18 events scored", "mine", "aaren-events", "Hawkes", "transitions", "nats an event"}) {
    EXPECT_THAT(outcome.text, HasSubstr(part));
  }
  const absl::StatusOr<events::EventPackage> package = events::LoadEventPackage(output);
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_EQ(package->training.at("data"), "recorded");
}

TEST(FitEventsTest, StreamsThatCannotBeComparedAreRefusedBeforeTheTraining) {
  const std::string path = Folder() + "/ties.csv";
  std::ofstream file(path);
  file << "time\n";
  for (int i = 0; i < 40; ++i) file << (i < 39 ? 7 : 8) << "\n";
  file.close();
  const Outcome outcome = Fit(absl::StrCat(kSmallFit, " --events=", path, " --output=", Folder(), "/model"));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
  EXPECT_THAT(outcome.text, Not(HasSubstr("step 1")));
}

TEST(FitEventsTest, StreamsThatAreTooShortAreRefused) {
  ExpectUserError(absl::StrCat(kSmallFit, " --output=x --events=", EventsFile(2, 5)), "fewer than 10 events");
}

}  // namespace
}  // namespace aaren::training
