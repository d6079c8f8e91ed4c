// aaren-server as a process: its output, its exit status, its reaction to signals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "server/machine/cores/cores.h"
#include "tests/server/net/rpc/serving/serving.h"
#include "tests/server/net/rpc/serving/test_stream.h"
#include "tests/server/program/program.h"

namespace aaren {
namespace {

using testing::HasSubstr;

TEST(ServerProgramTest, FirstLineTellsTheAddressesAndSigtermEndsItWithZero) {
  Program program(FreePorts());
  const std::string line = program.ReadLine();
  EXPECT_THAT(line,
              testing::MatchesRegex("ready listen=127\\.0\\.0\\.1:[1-9][0-9]* metrics=127\\.0\\.0\\.1:[1-9][0-9]*"));
  rpc::TestStream stream(grpc::CreateChannel(AddressIn(line, "listen"), grpc::InsecureChannelCredentials()));
  stream.Greet();
  EXPECT_EQ(stream.Open(0, "a").model().name(), "aaren-univariate");
  stream.Send(rpc::TokensItem(0, 0, {1}));
  EXPECT_TRUE(stream.Receive().has_forecasts());
  program.Signal(SIGTERM);
  while (!stream.Receive().has_draining()) {
  }
  stream.HalfClose();
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_THAT(program.Log(), HasSubstr("shutting down"));
}

// Forbids the process to make threads. False: this user cannot.
bool ForbidThreads(pid_t pid) {
  const rlimit none{0, 0};
  if (geteuid() != 0) return prlimit(pid, RLIMIT_NPROC, &none, nullptr) == 0;
  for (const char* root : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"}) {  // RLIMIT_NPROC does not hold for root
    const std::string group = absl::StrCat(root, "/aaren_test_", pid);
    if (mkdir(group.c_str(), 0755) != 0) continue;
    std::ofstream(group + "/cgroup.procs") << pid << std::flush;
    if (std::ofstream(group + "/pids.max") << 1 << std::flush) return true;
    rmdir(group.c_str());
  }
  return false;
}

void RemoveGroup(pid_t pid) {
  for (const char* root : {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"}) {
    rmdir(absl::StrCat(root, "/aaren_test_", pid).c_str());
  }
}

TEST(ServerProgramTest, SavesEverythingWhereNoThreadCanBeMade) {
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // the search for leaks needs a thread
  for (const std::string store : {"rocksdb", "memory"}) {
    Program program({"--listen=127.0.0.1:0", "--metrics_listen=127.0.0.1:0", "--admin_address=127.0.0.1:0",
                     absl::StrCat("--store=", store)});
    const pid_t pid = program.pid();
    rpc::TestStream stream(
        grpc::CreateChannel(AddressIn(program.ReadLine(), "listen"), grpc::InsecureChannelCredentials()));
    stream.Greet();
    stream.Open(0, "a");
    if (!ForbidThreads(pid)) GTEST_SKIP() << "no limit of threads can be set here";
    stream.Send(rpc::TokensItem(0, 0, {1, 2, 3}));
    EXPECT_TRUE(stream.Receive().has_forecasts());
    program.Signal(SIGTERM);
    while (!stream.Receive().has_draining()) {
    }
    stream.HalfClose();
    EXPECT_EQ(program.Wait(), 0) << program.Log();
    EXPECT_THAT(program.Log(), HasSubstr("shut down"));
    RemoveGroup(pid);
  }
}

TEST(ServerProgramTest, SecondSignalEndsItAtOnce) {
  std::vector<std::string> arguments = FreePorts();
  arguments.push_back("--grace=1h");
  Program program(arguments);
  const std::string line = program.ReadLine();
  rpc::TestStream stream(grpc::CreateChannel(AddressIn(line, "listen"), grpc::InsecureChannelCredentials()));
  stream.Greet();
  program.Signal(SIGINT);
  EXPECT_TRUE(stream.Receive().has_draining());
  program.Signal(SIGINT);
  EXPECT_EQ(program.Wait(), 128 + SIGINT);
}

TEST(ServerProgramTest, PortInUseIsNamed) {
  Program first(FreePorts());
  const std::string line = first.ReadLine();
  Program second({"--listen=" + AddressIn(line, "listen"), "--metrics_listen="});
  EXPECT_EQ(second.Wait(), 1);
  EXPECT_THAT(second.Log(), HasSubstr(AddressIn(line, "listen")));
  Program third({"--listen=127.0.0.1:0", "--metrics_listen=" + AddressIn(line, "metrics")});
  EXPECT_EQ(third.Wait(), 1);
  EXPECT_THAT(third.Log(), HasSubstr(AddressIn(line, "metrics")));
}

#ifdef AAREN_EMULATED_LIBRARY
// The answer of a server with this flag to a few tokens.
std::string ForecastsWith(const std::string& flag, std::string& log) {
  std::vector<std::string> arguments = FreePorts();
  arguments.push_back(flag);
  Program program(arguments);
  rpc::TestStream stream(
      grpc::CreateChannel(AddressIn(program.ReadLine(), "listen"), grpc::InsecureChannelCredentials()));
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(rpc::TokensItem(0, 0, {1, 2, 3, 5, 8, 13}));
  const std::string forecasts = stream.Receive().forecasts().SerializeAsString();
  log = program.Log();
  return forecasts;
}

TEST(ServerProgramTest, ADeviceThatALibraryBringsAnswersAsTheCpu) {
  setenv("AAREN_ENGINE_PLUGIN", AAREN_EMULATED_LIBRARY, 1);
  std::string log;
  const std::string forecasts = ForecastsWith("--device=cuda", log);
  EXPECT_THAT(log, HasSubstr("an emulated device"));
  EXPECT_GT(forecasts.size(), 1000u);
  EXPECT_EQ(forecasts, ForecastsWith("--device=cpu", log));
  EXPECT_THAT(log, HasSubstr("device=cpu"));
}
#else
TEST(ServerProgramTest, ADeviceThatALibraryBringsAnswersAsTheCpu) {
  GTEST_SKIP() << "no device is emulated under a sanitizer";
}
#endif

// A connection to a port of this machine.
class SilentConnection {
 public:
  explicit SilentConnection(const std::string& address) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    int port = 0;
    EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port));
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<in_port_t>(port));
    target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&target), sizeof(target)), 0);
  }
  ~SilentConnection() { close(fd_); }

 private:
  const int fd_;
};

// All allowed connections, and more, without a word.
TEST(ServerProgramTest, RunningOutOfFileDescriptorsIsNotForEver) {
  constexpr rlim_t kFiles = 100;
  Program server({"--listen=127.0.0.1:0", "--metrics_listen=", "--shards=2"}, Limit{RLIMIT_NOFILE, kFiles});
  const std::string address = AddressIn(server.ReadLine(), "listen");
  {
    std::vector<std::unique_ptr<SilentConnection>> connections;
    for (rlim_t i = 0; i < 2 * kFiles; ++i) connections.push_back(std::make_unique<SilentConnection>(address));
    absl::SleepFor(absl::Milliseconds(200));  // the outcome does not depend on the pause
  }
  rpc::TestStream stream(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  EXPECT_EQ(stream.Greet().protocol_version(), 1u);
}

int Lines(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

TEST(ServerProgramTest, TooFewFileDescriptorsToStartAreToldOfInALine) {
  for (const rlim_t files : {10, 20, 40, 60}) {
    Program server({"--listen=127.0.0.1:0", "--metrics_listen=", "--shards=2"}, Limit{RLIMIT_NOFILE, files});
    EXPECT_EQ(server.Wait(), 1) << files;
    EXPECT_THAT(server.Log(), HasSubstr(absl::StrCat("cannot start: ", files, " files may be open (ulimit -Hn)")));
    EXPECT_EQ(Lines(server.Log()), 1) << server.Log();
  }
}

// From little more than the program's own libraries need to enough.
TEST(ServerProgramTest, AnAddressSpaceThatIsTooSmallIsToldOf) {
#ifdef AAREN_SANITIZED
  GTEST_SKIP() << "sanitizers take terabytes of addresses";
#endif
  int too_small = 0;
  for (rlim_t megabytes = 700; megabytes <= 2200; megabytes += 150) {
    Program server({"--listen=127.0.0.1:0", "--metrics_listen=", "--shards=2"}, Limit{RLIMIT_AS, megabytes << 20});
    if (!server.ReadLine().empty()) continue;
    ++too_small;
    EXPECT_GT(server.Wait(), 0) << megabytes << server.Log();
    EXPECT_THAT(server.Log(), testing::AnyOf(HasSubstr("ulimit -v"), HasSubstr("error while loading shared libraries")))
        << megabytes;
  }
  EXPECT_GT(too_small, 0);
}

// The server hears the signal about the file, and goes on without its store.
TEST(ServerProgramTest, AFileThatMayNotGrowDoesNotEndIt) {
  Program server({"--listen=127.0.0.1:0", "--metrics_listen=", "--shards=1", "--save_interval=10ms"},
                 Limit{RLIMIT_FSIZE, 64 << 10});
  rpc::TestStream stream(
      grpc::CreateChannel(AddressIn(server.ReadLine(), "listen"), grpc::InsecureChannelCredentials()));
  stream.Greet();
  stream.Open(0, "a");
  for (uint64_t seq = 0; seq < 200; ++seq) {
    stream.Send(rpc::TokensItem(0, seq, {1}));
    v1::ServerItem item;
    do {
      item = stream.Receive();
    } while (item.has_acked());
    ASSERT_TRUE(item.has_forecasts()) << item.DebugString() << server.Log();
    absl::SleepFor(absl::Milliseconds(2));
  }
  EXPECT_THAT(server.Log(), HasSubstr("save failed"));
}

// The cores open to the thread of this name, as listed in /proc.
std::string CoresOfThread(pid_t pid, const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator(absl::StrCat("/proc/", pid, "/task"))) {
    std::string line;
    std::ifstream comm(task.path() / "comm");
    if (!std::getline(comm, line) || line != name) continue;
    std::ifstream status(task.path() / "status");
    while (std::getline(status, line)) {
      if (line.rfind("Cpus_allowed_list:\t", 0) == 0) return line.substr(line.find('\t') + 1);
    }
  }
  return "no such thread";
}

TEST(ServerProgramTest, ShardsKeepToTheirCoresInTurn) {
  const std::vector<int> allowed = cores::Allowed();
  const std::string first = absl::StrCat(allowed.front()), last = absl::StrCat(allowed.back());
  std::vector<std::string> arguments = FreePorts();
  arguments.push_back(absl::StrCat("--cpus=", first == last ? last : absl::StrCat(last, ",", first)));
  arguments.push_back("--shards=3");
  Program program(arguments);
  program.ReadLine();
  const auto keeps = [&](const std::string& shard, const std::string& core) {  // from the thread's begin on
    return rpc::Serving::Eventually([&] { return CoresOfThread(program.pid(), shard) == core; });
  };
  EXPECT_TRUE(keeps("shard-0", last));
  EXPECT_TRUE(keeps("shard-1", first));
  EXPECT_TRUE(keeps("shard-2", last));
}

TEST(ServerProgramTest, ThereIsAShardForEachListedCore) {
  Program program({"--listen=127.0.0.1:0", "--metrics_listen=", absl::StrCat("--cpus=", cores::Allowed().back())});
  program.ReadLine();
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_THAT(program.Log(), HasSubstr("shards=1 "));
}

TEST(ServerProgramTest, FirstLineTellsTheAdminAddressWhereThereIsOne) {
  Program program({"--listen=127.0.0.1:0", "--metrics_listen=", "--admin_address=127.0.0.1:0"});
  EXPECT_THAT(program.ReadLine(), testing::MatchesRegex("ready .* admin=127\\.0\\.0\\.1:[1-9][0-9]*"));
}

TEST(ServerProgramTest, FolderWithoutModelsIsNamed) {
  Program program({"--listen=127.0.0.1:0", "--metrics_listen=", "--models=/nowhere"});
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_THAT(program.Log(), HasSubstr("/nowhere"));
}

TEST(ServerProgramTest, KeepsSessionsInTheStateFolderUnlessToldOtherwise) {
  Program program(FreePorts());
  EXPECT_THAT(program.ReadLine(), HasSubstr("ready"));
  EXPECT_TRUE(std::filesystem::is_directory(program.state() + "/aaren/rocksdb"));
}

TEST(ServerProgramTest, SecondServerOnOneFolderIsToldWhoHasIt) {
  Program first(FreePorts());
  EXPECT_THAT(first.ReadLine(), HasSubstr("ready"));
  std::vector<std::string> arguments = FreePorts();
  arguments.push_back("--data_dir=" + first.state() + "/aaren");
  Program second(arguments);
  EXPECT_EQ(second.Wait(), 1);
  EXPECT_THAT(second.Log(), HasSubstr(absl::StrCat("in use by process ", first.pid())));
}

TEST(ServerProgramTest, FolderThatCannotBeMadeIsNamed) {
  std::vector<std::string> arguments = FreePorts();
  arguments.push_back("--data_dir=/proc/sessions");
  Program program(arguments);
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_THAT(program.Log(), HasSubstr("data_dir: cannot use /proc/sessions"));
}

}  // namespace
}  // namespace aaren
