// The program, run like a user runs programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/package/package.h"
#include "model/tasks/forecasting/series_csv.h"
#include "model/tasks/forecasting/synthetic.h"
#include "tests/model/training/program/train_program.h"

namespace aaren::training {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSmall[] =
    " --steps=20 --batch=4 --context=64 --ring=16 --width=16 --layers=1 --heads=2 --value_width=16 --embed_hidden=16"
    " --mlp_hidden=16 --horizon=4 --fold_every=4 --quantiles=0.1,0.5,0.9 --validate_every=10 --checkpoint_every=5";

std::string CsvWith(const std::string& text) {
  const std::string path = Folder() + "/data.csv";
  std::ofstream(path) << text;
  return path;
}

TEST(AarenTrainTest, WritesAPackageWithTheCommandThatMadeIt) {
  const std::string output = Folder() + "/model";
  const Outcome outcome = Execute(kSmall + (" --name=tiny --output=" + output));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(output);
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_EQ(package->name, "tiny");
  EXPECT_EQ(package->training.at("steps"), "20");
  EXPECT_THAT(package->training.at("command"), HasSubstr("--name=tiny"));
  EXPECT_EQ(package->training.at("data_seed"), "1");
  EXPECT_EQ(package->training.count("code_version") + package->training.count("held_out_coverage_80"), 2u);
}

TEST(AarenTrainTest, BeginsWithAPackageAndSaysWhatDoesNotFit) {
  const std::string first = Folder() + "/first", second = Folder() + "/second";
  ASSERT_EQ(Execute(kSmall + (" --seasons=false --output=" + first)).exit_code, 0);
  const Outcome same = Execute(kSmall + (" --init=" + first + " --output=" + second));
  ASSERT_EQ(same.exit_code, 0) << same.text;
  EXPECT_THAT(same.text, Not(HasSubstr("do not fit")));
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(second);
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_TRUE(package->config.seasons) << "unless it is said otherwise";
  const Outcome wider = Execute(kSmall + (" --mlp_hidden=20 --init=" + first + " --output=" + second));
  EXPECT_THAT(wider.text, HasSubstr("3 of 24 tensors do not fit: blocks.0.mlp.down.weight"));
}

TEST(AarenTrainTest, AbsentPackageToBeginWithIsNamed) {
  ExpectUserError(" --output=x --init=" + Folder() + "/none", "/none/model.json");
}

TEST(AarenTrainTest, PipedProgressIsPlainLines) {
  const Outcome outcome = Execute(kSmall + (" --output=" + Folder()));
  EXPECT_THAT(outcome.text, HasSubstr("step 20/20"));
  EXPECT_EQ(outcome.text.find('\r'), std::string::npos);
}

TEST(AarenTrainTest, ResumesAfterAKillAndEndsWithTheSameWeights) {
  const std::string folder = Folder();
  const std::string arguments = std::string(kSmall) + " --steps=400 --checkpoint=" + folder + "/checkpoint --output=";
  const Outcome killed = Execute(arguments + folder + "/a & job=$!; while kill -0 $job && ! [ -s " + folder +
                                 "/checkpoint/checkpoint.pt ]; do sleep 0.01; done; kill -9 $job");
  ASSERT_FALSE(std::filesystem::exists(folder + "/a/model.json")) << killed.text;
  ASSERT_EQ(Execute(arguments + folder + "/a").exit_code, 0);
  ASSERT_EQ(Execute(std::string(kSmall) + " --steps=400 --output=" + folder + "/b").exit_code, 0);
  EXPECT_EQ(package::LoadPackage(folder + "/a")->tensors, package::LoadPackage(folder + "/b")->tensors);
}

TEST(AarenTrainTest, TrainsOnChosenColumnsOfACsvFile) {
  std::string text = "time,load,other\n";
  for (int t = 0; t < 200; ++t) text += std::to_string(t) + "," + std::to_string(t % 12) + ",0\n";
  const Outcome outcome =
      Execute(kSmall + (" --data=" + CsvWith(text) + " --columns=load --output=" + Folder() + "/model"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
}

TEST(AarenTrainTest, WritesAReportBesideThePackageWithTheCurveOfGivenFiles) {
  std::string text = "waves\n";
  for (int t = 0; t < 200; ++t) text += std::to_string(t % 12) + "\n";
  const std::string folder = Folder();
  const Outcome outcome =
      Execute(kSmall + (" --validation_csv=" + CsvWith(text) + ":12 --output=" + folder + "/model"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const std::string report = TextOf(folder + "/model.report.html");
  EXPECT_THAT(report, HasSubstr("20 of 20"));
  EXPECT_THAT(report, HasSubstr("<th>data MASE</th>"));
  EXPECT_THAT(report, HasSubstr("--fold_every=4"));
}

TEST(AarenTrainTest, KilledRunHasAReportWithItsCheckpoints) {
  const std::string folder = Folder();
  Execute(kSmall + (" --steps=100000 --checkpoint=" + folder + "/run --output=" + folder +
                    "/a & job=$!; while kill -0 $job && ! [ -s " + folder +
                    "/run/report.html ]; do sleep 0.01; done; kill -9 $job"));
  EXPECT_THAT(TextOf(folder + "/run/report.html"), HasSubstr("of 100000</td>"));
}

// Two seeds of the weights are checked on a single family of series, to compare the losses.
TEST(AarenTrainTest, SeedOfTheDataIsItsOwnIfGiven) {
  const std::string folder = Folder();
  ASSERT_EQ(Execute(kSmall + (" --seed=1 --output=" + folder + "/a")).exit_code, 0);
  ASSERT_EQ(Execute(kSmall + (" --seed=1 --data_seed=1 --output=" + folder + "/b")).exit_code, 0);
  ASSERT_EQ(Execute(kSmall + (" --seed=1 --data_seed=2 --output=" + folder + "/c")).exit_code, 0);
  EXPECT_EQ(package::LoadPackage(folder + "/a")->tensors, package::LoadPackage(folder + "/b")->tensors);
  EXPECT_NE(package::LoadPackage(folder + "/a")->tensors, package::LoadPackage(folder + "/c")->tensors);
  EXPECT_EQ(package::LoadPackage(folder + "/c")->training.at("data_seed"), "2");
}

TEST(AarenTrainTest, SeasonThatIsNoNumberIsNamed) {
  ExpectUserError(" --output=x --validation_csv=a.csv:day", "the season of \"a.csv:day\"");
}

TEST(AarenTrainTest, AbsentValidationFileIsNamed) {
  ExpectUserError(" --output=x --validation_csv=/nowhere/absent.csv:24", "/nowhere/absent.csv");
}

TEST(SynthTest, CsvHoldsTheSeriesOfTheGenerator) {
  const std::string path = Folder() + "/series.csv";
  const Outcome outcome = Execute(" synth --seed=7 --first=3 --count=40 --length=150 --csv=" + path);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const auto series = forecasting::ReadCsvSeries(path, {});
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_EQ(series->size(), 40u);
  bool missing = false;
  for (int i = 0; i < 40; ++i) {
    const std::vector<double> expected = forecasting::SyntheticSeries(7, 3 + i, 150);
    EXPECT_EQ((*series)[i].name, absl::StrCat("7/", 3 + i));
    ASSERT_EQ((*series)[i].values.size(), 150u);
    for (int t = 0; t < 150; ++t) {
      missing |= std::isnan(expected[t]);
      const double value = (*series)[i].values[t];
      EXPECT_TRUE(value == expected[t] || (std::isnan(value) && std::isnan(expected[t]))) << i << " " << t;
    }
  }
  EXPECT_TRUE(missing) << "or this test says nothing of missing values";
}

// The first series with a gap, as a single column, in which a missing value would be an empty line.
TEST(SynthTest, SingleSeriesKeepsTheRowsOfItsGaps) {
  int index = 0;
  const auto has_gap = [](const std::vector<double>& x) {
    return std::isnan(std::accumulate(x.begin(), x.end(), 0.0));
  };
  while (!has_gap(forecasting::SyntheticSeries(1, index, 200))) ++index;
  const std::string path = Folder() + "/series.csv";
  const Outcome outcome = Execute(absl::StrCat(" synth --first=", index, " --count=1 --length=200 --csv=", path));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const auto series = forecasting::ReadCsvSeries(path, {absl::StrCat("1/", index)});
  ASSERT_TRUE(series.ok()) << series.status();
  EXPECT_EQ(series->front().values.size(), 200u);
}

TEST(SynthTest, PlotHasAChartOfEachSeriesAndIsTheSameTwice) {
  const std::string path = Folder() + "/series.svg";
  ASSERT_EQ(Execute(" synth --count=5 --length=100 --plot=" + path).exit_code, 0);
  const std::string first = TextOf(path);
  for (const char* title : {">1/0 ", ">1/1 ", ">1/2 ", ">1/3 ", ">1/4 "}) EXPECT_THAT(first, HasSubstr(title));
  ASSERT_EQ(Execute(" synth --count=5 --length=100 --plot=" + path).exit_code, 0);
  EXPECT_EQ(TextOf(path), first);
}

TEST(SynthTest, OneFamilyIsDrawnAloneWithOtherSeriesBesideIt) {
  const std::string csv = Folder() + "/solar.csv", svg = Folder() + "/solar.svg";
  ASSERT_EQ(Execute(absl::StrCat(" synth --family=solar --count=2 --length=150 --csv=", csv)).exit_code, 0);
  const auto series = forecasting::ReadCsvSeries(csv, {});
  ASSERT_TRUE(series.ok()) << series.status();
  const double second = forecasting::SyntheticSeries(*forecasting::FindFamily("solar"), 1, 1, 150).back();
  EXPECT_TRUE((*series)[1].values.back() == second || std::isnan(second));
  ASSERT_EQ(Execute(absl::StrCat(" synth --family=walk --count=1 --beside=", csv, " --plot=", svg)).exit_code, 0);
  for (const char* title : {">1/0 walk<", ">solar 1/0<", ">solar 1/1<"}) EXPECT_THAT(TextOf(svg), HasSubstr(title));
}

TEST(SynthTest, UnknownFamilyIsRefusedWithTheNamesOfAll) {
  ExpectUserError(" synth --family=solr --plot=x.svg", "--family=solr is none of trend, ");
}

TEST(SynthTest, NothingToWriteIsRefused) { ExpectUserError(" synth --count=3", "--csv=FILE, --plot=FILE.svg or both"); }

TEST(SynthTest, FileThatCannotBeWrittenIsNamed) {
  const Outcome outcome = Execute(" synth --plot=/nowhere/series.svg");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("cannot write /nowhere/series.svg: No such file or directory"));
}

TEST(SynthTest, FlagsOfTrainingAreNotItsOwn) {
  ExpectUserError(" synth --csv=x --steps=3", "--steps");
  ExpectUserError(" --output=x --plot=x", "--plot");
}

TEST(SynthTest, NumbersOutOfRangeAreNamed) {
  ExpectUserError(" synth --csv=x --count=0", "--count=0");
  ExpectUserError(" synth --csv=x --length=-1", "--length=-1");
  ExpectUserError(" synth --csv=x --count=1000000 --length=1000000", "more than 100000000 values");
}

// Runs the build's script on a folder that is no checkout.
TEST(CodeVersionTest, OutsideOfACheckoutIsTheProjectsVersion) {
  const std::string folder = Folder();
  const std::string command = absl::StrCat(AAREN_CMAKE, " -DSOURCE=", folder, " -DVERSION=9.8.7 -DOUTPUT=", folder,
                                           "/version.cc -P ", AAREN_CODE_VERSION_SCRIPT);
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(TextOf(folder + "/version.cc"), HasSubstr("return \"9.8.7\";"));
}

TEST(AarenTrainTest, UnknownFlagIsNamed) { ExpectUserError(" --stepz=3", "--stepz"); }

TEST(AarenTrainTest, BadValueIsNamedWithItsFlag) { ExpectUserError(" --steps=many --output=x", "--steps=many"); }

TEST(AarenTrainTest, TrainsOnAGpuOrSaysWhatIsMissing) {
  const Outcome outcome = Execute(absl::StrCat(kSmall, " --device=cuda --output=", Folder(), "/model"));
  if (outcome.exit_code == 0) {
    EXPECT_TRUE(package::LoadPackage(Folder() + "/model").ok());
  } else {
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("--device=cuda: "));
    EXPECT_THAT(outcome.text, AnyOf(HasSubstr("libtorch_cuda.so"), HasSubstr("GPU"), HasSubstr("driver")));
  }
}

TEST(AarenTrainTest, UnknownDeviceIsNamed) { ExpectUserError(" --device=tpu --output=x", "--device=tpu"); }

TEST(AarenTrainTest, ProductsInBFloat16TrainAsWellOrSayThatTheyAreFloat32) {
  const Outcome outcome = Execute(absl::StrCat(kSmall, " --products=bfloat16 --output=", Folder(), "/model"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_TRUE(package::LoadPackage(Folder() + "/model").ok());
}

TEST(AarenTrainTest, ARunIsNotResumedWithOtherProducts) {
  const std::string run = absl::StrCat(kSmall, " --checkpoint=", Folder(), "/run --output=", Folder(), "/model");
  ASSERT_EQ(Execute(run).exit_code, 0);
  const Outcome outcome = Execute(run + " --products=bfloat16");
  if (outcome.exit_code == 0) GTEST_SKIP() << "this CPU has none in bfloat16";
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("products=bfloat16"));
}

TEST(AarenTrainTest, ProductsThatDoNotExistAreNamed) {
  ExpectUserError(" --products=half --output=x", "--products=half");
  ExpectUserError(" --products=bfloat16 --device=cuda --output=x", "--products=bfloat16 is for --device=cpu");
}

TEST(AarenTrainTest, ThreadsOfNoMachineAreRefused) {
  ExpectUserError(" --threads=100000 --output=x", "--threads=100000");
}

TEST(AarenTrainTest, NameThatNoPackageMayHaveIsRefusedBeforeTheRun) {
  ExpectUserError(" --name='A B' --output=x", "--name is \"A B\"");
}

TEST(AarenTrainTest, RatesThatTrainNothingAreRefused) {
  ExpectUserError(" --lr=-1 --output=x", "--lr=-1");
  ExpectUserError(" --muon_lr=nan --output=x", "--muon_lr=nan");
}

TEST(AarenTrainTest, OutputThatCannotBeWrittenIsNamedBeforeTheRun) {
  const Outcome outcome = Execute(" --steps=1000000 --output=/proc/x/y");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("/proc/x/y"));
}

TEST(AarenTrainTest, BareWordIsRefused) { ExpectUserError(" series.csv", "\"series.csv\" is not a flag"); }

TEST(AarenTrainTest, OutputIsRequired) { ExpectUserError("", "--output"); }

TEST(AarenTrainTest, SizesThatDoNotFitAreNamed) {
  ExpectUserError(" --output=x --heads=7", "value_width is 128, not divisible by twice heads, which is 7");
}

TEST(AarenTrainTest, AbsentCsvIsNamed) {
  ExpectUserError(" --output=x --data=/nowhere/absent.csv", "/nowhere/absent.csv");
}

TEST(AarenTrainTest, TextInACsvIsNamed) {
  ExpectUserError(" --output=x --data=" + CsvWith("a,b\n1,2\n3,high\n"), "line 3 column \"b\": \"high\"");
}

TEST(AarenTrainTest, UnknownColumnIsNamed) {
  ExpectUserError(" --output=x --columns=c --data=" + CsvWith("a,b\n1,2\n"), "no column \"c\"");
}

TEST(AarenTrainTest, CsvWithoutNumbersIsRefused) {
  ExpectUserError(" --output=x --data=" + CsvWith("a,b\nx,y\n"), "no column of numbers");
}

TEST(AarenTrainTest, SeriesShorterThanTheHorizonNeedsIsRefused) {
  ExpectUserError(" --output=x --data=" + CsvWith("a\n1\n2\n"), "has 2 values");
}

TEST(AarenTrainTest, HelpListsTheFlags) {
  const Outcome outcome = Execute(" --help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.text, HasSubstr("--checkpoint_every"));
}

// libgomp's report of how threads wait, printed when loaded; the report has further names under other compilers.
std::string Waiting(const char* policy) {
  setenv("OMP_DISPLAY_ENV", "VERBOSE", 1);
  policy == nullptr ? unsetenv("OMP_WAIT_POLICY") : setenv("OMP_WAIT_POLICY", policy, 1);
  const Outcome outcome = Execute(absl::StrCat(" --output=", Folder(), "/m --name=m", kSmall));
  unsetenv("OMP_DISPLAY_ENV");
  unsetenv("OMP_WAIT_POLICY");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  return outcome.text;
}

TEST(AarenTrainTest, ThreadsWaitAsleep) {
  const std::string text = Waiting(nullptr);
  if (text.find("GOMP_SPINCOUNT") == std::string::npos) GTEST_SKIP() << "not GCC's OpenMP";
  EXPECT_THAT(text, HasSubstr("GOMP_SPINCOUNT = '0'"));
}

TEST(AarenTrainTest, ThreadsWaitAsTheUserWants) {
  const std::string text = Waiting("ACTIVE");
  if (text.find("GOMP_SPINCOUNT") == std::string::npos) GTEST_SKIP() << "not GCC's OpenMP";
  EXPECT_THAT(text, testing::Not(HasSubstr("GOMP_SPINCOUNT = '0'")));
}

}  // namespace
}  // namespace aaren::training
