// The subcommands for events, run as a user runs programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/engine/events/event_package.h"
#include "tests/model/training/program/train_program.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;

constexpr char kSmallEvents[] = " events --steps=6 --batch=2 --tokens=20 --checkpoint_every=2 --held_out=2";

TEST(TrainEventsTest, WritesAPackageThatTheEngineLoads) {
  const std::string output = Folder() + "/model";
  const Outcome outcome = Execute(kSmallEvents + (" --name=tiny --output=" + output));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("step 6/6"));
  const absl::StatusOr<events::EventPackage> package = events::LoadEventPackage(output);
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_EQ(package->name, "tiny");
  EXPECT_EQ(package->training.at("steps"), "6");
  EXPECT_THAT(package->training.at("command"), HasSubstr("events --steps=6"));
}

TEST(TrainEventsTest, AKilledRunResumesAndEndsWithTheSameWeights) {
  const std::string folder = Folder();
  const std::string arguments = std::string(kSmallEvents) + " --steps=200 --checkpoint=" + folder + "/run --output=";
  const Outcome killed = Execute(arguments + folder + "/a & job=$!; while kill -0 $job && ! [ -s " + folder +
                                 "/run/checkpoint.pt ]; do sleep 0.01; done; kill -9 $job");
  ASSERT_FALSE(std::filesystem::exists(folder + "/a/model.json")) << killed.text;
  ASSERT_EQ(Execute(arguments + folder + "/a").exit_code, 0);
  ASSERT_EQ(Execute(std::string(kSmallEvents) + " --steps=200 --output=" + folder + "/b").exit_code, 0);
  EXPECT_EQ(events::LoadEventPackage(folder + "/a")->tensors, events::LoadEventPackage(folder + "/b")->tensors);
}

TEST(TrainEventsTest, APackageMayBeTheBeginningOfAnother) {
  const std::string folder = Folder();
  ASSERT_EQ(Execute(kSmallEvents + (" --output=" + folder + "/a")).exit_code, 0);
  ASSERT_EQ(Execute(absl::StrCat(kSmallEvents, " --seed=2 --from=", folder, "/a --output=", folder, "/b")).exit_code,
            0);
  EXPECT_EQ(events::LoadEventPackage(folder + "/b")->training.at("from"),
            events::LoadEventPackage(folder + "/a")->digest);
  ExpectUserError(" events --output=x --from=" + folder + "/none", "/none/model.json");
}

TEST(TrainEventsTest, WrongFlagsAreNamed) {
  ExpectUserError(" events", "--output=FOLDER is required");
  ExpectUserError(" events --output=x --steps=0", "--steps=0");
  ExpectUserError(" events --output=x --lr=nan", "--lr=nan");
  ExpectUserError(" events --output=x --ring=3", "--ring");
}

TEST(EvaluateEventsTest, ScoresAPackageBesideTheRules) {
  const std::string folder = Folder(), file = folder + "/stream.jsonl";
  ASSERT_EQ(Execute(kSmallEvents + (" --output=" + folder + "/model")).exit_code, 0);
  std::ofstream(file) << R"({"times": [1, 2, 4, 5, 9, 11, 12], "marks": [1, 2, 1, 2, 1, 2, 3]})";
  const Outcome outcome = Execute(absl::StrCat(" evaluate-events --package=", folder, "/model --data=", file));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("1 streams of times rounded to a unit, 5 events scored"));
  for (const char* name : {"model", "kernel renewal", "Hawkes", "transitions"}) {
    EXPECT_THAT(outcome.text, HasSubstr(name));
  }
}

TEST(EvaluateEventsTest, WhatCannotBeReadIsNamed) {
  const std::string folder = Folder();
  ASSERT_EQ(Execute(kSmallEvents + (" --output=" + folder + "/model")).exit_code, 0);
  ExpectUserError(" evaluate-events --data=x.csv --package=" + folder + "/none", "/none/model.json");
  ExpectUserError(" evaluate-events --data=/nowhere/x.csv --package=" + folder + "/model", "/nowhere/x.csv");
  ExpectUserError(" evaluate-events --package=x", "--data");
}

}  // namespace
}  // namespace aaren::training
