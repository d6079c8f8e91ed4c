// aaren-train in several processes, started like torchrun's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/package/package.h"
#include "tests/model/training/program/train_program.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;

constexpr char kSharedRun[] =
    " --steps=6 --batch=4 --context=64 --ring=16 --width=16 --layers=1 --heads=2 --value_width=16 --embed_hidden=16"
    " --mlp_hidden=16 --horizon=4 --fold_every=4 --quantiles=0.1,0.5,0.9 --validate_every=1 --checkpoint_every=2";

// A port free a moment ago: the processes of a run must know the port before the start.
int FreePort() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(descriptor, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  close(descriptor);
  return ntohs(address.sin_port);
}

// Runs two processes to the end. Returns the outcome of process 0.
Outcome ExecuteTwo(const std::string& arguments) {
  const std::string join = absl::StrCat("WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=", FreePort(), " ");
  return Execute(absl::StrCat(arguments, " 2>&1 & other=$!; ", join, "RANK=0 ", AAREN_TRAIN_PROGRAM, arguments,
                              " 2>&1; code=$?; wait $other || code=$?; exit $code", " #"),
                 join + "RANK=1 ");
}

double HeldOutLoss(const std::string& folder) {
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(folder);
  return package.ok() ? std::atof(package->training.at("held_out_loss").c_str()) : NAN;
}

// "step 3/6  loss 1.2345  held out 1.2345" of every line.
std::string Losses(const std::string& text) {
  std::string losses;
  for (size_t at = text.find("step "); at != text.npos; at = text.find("step ", at + 1)) {
    const size_t rate = text.rfind("  ", text.find(" tokens/s", at));  // the rate is no loss
    absl::StrAppend(&losses, text.substr(at, rate - at), "\n");
  }
  return losses;
}

TEST(ProcessesTest, TwoProcessesHaveTheLossesOfOneWithTheSameBatch) {
  const std::string folder = Folder();
  const Outcome one = Execute(absl::StrCat(kSharedRun, " --output=", folder, "/one"));
  const Outcome two = ExecuteTwo(absl::StrCat(kSharedRun, " --output=", folder, "/two"));
  ASSERT_EQ(one.exit_code, 0) << one.text;
  ASSERT_EQ(two.exit_code, 0) << two.text;
  EXPECT_THAT(one.text, HasSubstr("step 6/6"));
  EXPECT_EQ(Losses(two.text), Losses(one.text));
  EXPECT_NEAR(HeldOutLoss(folder + "/two"), HeldOutLoss(folder + "/one"), 2e-5);
}

TEST(ProcessesTest, ProcessesResumeTogetherFromTheCheckpointOfTheFirst) {
  const std::string folder = Folder(),
                    run = absl::StrCat(kSharedRun, " --checkpoint=", folder, "/run --output=", folder);
  ASSERT_EQ(ExecuteTwo(run + "/a").exit_code, 0);
  const Outcome again = ExecuteTwo(run + "/b");
  ASSERT_EQ(again.exit_code, 0) << again.text;
  EXPECT_EQ(package::LoadPackage(folder + "/a")->tensors, package::LoadPackage(folder + "/b")->tensors);
}

TEST(ProcessesTest, AVariableWithAWrongValueIsNamed) {
  const Outcome outcome = Execute(" --output=x", "WORLD_SIZE=2 RANK=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 ");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("RANK=\"2\", not a number from 0 to 1"));
}

}  // namespace
}  // namespace aaren::training
