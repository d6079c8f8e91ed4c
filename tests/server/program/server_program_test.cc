// aaren-server as a process: its output, its exit status, its reaction to signals.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
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

namespace aaren {
namespace {

using testing::HasSubstr;

// A limit of a process, by RLIMIT_….
struct Limit {
  int resource;
  rlim_t most;
};

// A running aaren-server with a state folder of its own. Standard error goes to a file. `limit`: the process's, if any.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments, std::optional<Limit> limit = std::nullopt)
      : log_(absl::StrCat(testing::TempDir(), "server_program_", getpid(), "_", ++started_, ".log")),
        state_(log_ + ".state") {
    arguments.insert(arguments.begin(), AAREN_SERVER);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int output[2];
    EXPECT_EQ(pipe2(output, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      setenv("XDG_STATE_HOME", state_.c_str(), /*overwrite=*/1);
      const rlimit most{limit ? limit->most : 0, limit ? limit->most : 0};
      if (limit) setrlimit(static_cast<__rlimit_resource_t>(limit->resource), &most);
      dup2(output[1], STDOUT_FILENO);
      dup2(open(log_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(output[1]);
    output_ = output[0];
  }

  ~Program() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      Wait();
    }
    close(output_);
    std::error_code ignored;
    std::filesystem::remove_all(state_, ignored);
  }

  std::string ReadLine() {
    std::string line;
    for (char c; read(output_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  void Signal(int signal) { kill(pid_, signal); }

  // The exit status, or minus the signal that ended the process.
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  pid_t pid() const { return pid_; }
  const std::string& state() const { return state_; }

  std::string Log() const {
    std::ifstream in(log_);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

 private:
  static inline int started_ = 0;
  const std::string log_;
  const std::string state_;
  pid_t pid_ = 0;
  int output_ = -1;
};

std::vector<std::string> FreePorts() { return {"--listen=127.0.0.1:0", "--metrics_listen=127.0.0.1:0"}; }

// The HOST:PORT after `name`= in the line.
std::string AddressIn(const std::string& line, const std::string& name) {
  const size_t begin = line.find(name + "=") + name.size() + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

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

TEST(ServerProgramTest, BadSettingsExitWithTwo) {
  setenv("AAREN_ENGINE_PLUGIN", "/nowhere/gpu.so", 1);  // no GPU on any machine
  for (const auto& [flag, named] :
       std::vector<std::pair<std::string, std::string>>{{"--lisen=x", "--lisen"},
                                                        {"--shards=many", "many"},
                                                        {"--config=/nowhere", "/nowhere"},
                                                        {"--device=cuda", "/nowhere/gpu.so"}}) {
    Program program({flag});
    EXPECT_EQ(program.Wait(), 2) << flag;
    EXPECT_THAT(program.Log(), HasSubstr(named));
  }
}

TEST(ServerProgramTest, BadSettingsOfARedisExitWithTwo) {
  for (const char* flag : {"--redis=nowhere", "--redis_prefix=", "--redis_timeout=1ms"}) {
    Program program({"--store=redis", flag});
    EXPECT_EQ(program.Wait(), 2) << flag;
    EXPECT_THAT(program.Log(), HasSubstr(std::string(flag).substr(2, std::string(flag).find('=') - 2)));
  }
}

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

TEST(ServerProgramTest, MemoryThatCannotBeEnoughIsRefused) {
  Program server({"--listen=127.0.0.1:0", "--memory=1000"});
  EXPECT_EQ(server.Wait(), 2);
  EXPECT_THAT(server.Log(), HasSubstr("memory: 1000 bytes; at least 16777216 (16 MB) are needed"));
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

TEST(ServerProgramTest, CoresThatCannotBeAreRefusedByName) {
  Program program({"--cpus=0-x"});
  EXPECT_EQ(program.Wait(), 2);
  EXPECT_THAT(program.Log(), HasSubstr("cpus: \"0-x\" is no list of cores such as 0-3,8"));
}

TEST(ServerProgramTest, AdvertisedAddressThatIsNoneIsRefused) {
  Program server({"--listen=127.0.0.1:0", "--advertise=banana"});
  EXPECT_EQ(server.Wait(), 2);
  EXPECT_THAT(server.Log(), HasSubstr("advertise: 'banana' is not HOST:PORT"));
}

TEST(ServerProgramTest, BadSettingsOfTracesExitWithTwo) {
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"--trace_endpoint=banana"}, "trace_endpoint: 'banana' is not HOST:PORT"},
      {{"--trace_endpoint=127.0.0.1:0"}, "trace_endpoint: port 0"},
      {{"--trace_endpoint=127.0.0.1:4317", "--trace_ca=/nowhere"}, "trace_ca: cannot read /nowhere"},
      {{"--trace_endpoint=127.0.0.1:4317", "--trace_ca=/etc/passwd"}, "trace_ca: there is no certificate"},
      {{"--trace_ca=/nowhere"}, "trace_ca: without trace_endpoint"}};
  for (const auto& [flags, problem] : bad) {
    Program server(flags);
    EXPECT_EQ(server.Wait(), 2);
    EXPECT_THAT(server.Log(), HasSubstr(problem));
  }
}

TEST(ServerProgramTest, WhereOthersReachItPlainTextMustBeAskedFor) {
  Program refused({"--listen=0.0.0.0:0"});
  EXPECT_EQ(refused.Wait(), 2);
  EXPECT_THAT(refused.Log(), HasSubstr("listen: others can reach 0.0.0.0:0; give tls_cert and tls_key, or insecure"));
  Program asked({"--listen=0.0.0.0:0", "--metrics_listen=127.0.0.1:0", "--insecure"});
  EXPECT_THAT(asked.ReadLine(), HasSubstr("ready listen=0.0.0.0:"));
}

TEST(ServerProgramTest, FirstLineTellsTheAdminAddressWhereThereIsOne) {
  Program program({"--listen=127.0.0.1:0", "--metrics_listen=", "--admin_address=127.0.0.1:0"});
  EXPECT_THAT(program.ReadLine(), testing::MatchesRegex("ready .* admin=127\\.0\\.0\\.1:[1-9][0-9]*"));
}

TEST(ServerProgramTest, AdminAddressesThatCannotBeAreRefusedByName) {
  const std::string callers = "--callers=/dev/null";
  for (const auto& [flags, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--admin_address=banana"}, "admin_address: 'banana' is not HOST:PORT"},
           {{"--admin_address=0.0.0.0:0"}, "admin_address: others can reach 0.0.0.0:0; give tls_cert"},
           {{"--admin_address=127.0.0.1:0", callers}, "admin_address: give admin_tenant"},
           {{"--admin_tenant=ops"}, "admin_tenant: without callers or jwks"},
           {{"--admin_tenant=o/ps", callers}, "admin_tenant: 'o/ps' cannot be"}}) {
    std::vector<std::string> arguments = FreePorts();
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    Program program(arguments);
    EXPECT_EQ(program.Wait(), 2);
    EXPECT_THAT(program.Log(), HasSubstr(said));
  }
}

TEST(ServerProgramTest, BadFilesOfSecurityExitWithTwo) {
  Program tls({"--listen=127.0.0.1:0", "--tls_cert=/nowhere.pem", "--tls_key=/nowhere.key"});
  EXPECT_EQ(tls.Wait(), 2);
  EXPECT_THAT(tls.Log(), HasSubstr("/nowhere.pem"));
  Program callers({"--listen=127.0.0.1:0", "--callers=/nowhere"});
  EXPECT_EQ(callers.Wait(), 2);
  EXPECT_THAT(callers.Log(), HasSubstr("callers: cannot read /nowhere"));
}

TEST(ServerProgramTest, FolderWithoutModelsIsNamed) {
  Program program({"--listen=127.0.0.1:0", "--metrics_listen=", "--models=/nowhere"});
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_THAT(program.Log(), HasSubstr("/nowhere"));
}

TEST(ServerProgramTest, PrintConfigShowsEverySettingAndExits) {
  Program program({"--print_config", "--shards=3"});
  EXPECT_EQ(program.ReadLine(), "listen: \"127.0.0.1:7860\"");
  std::string rest;
  for (std::string line; !(line = program.ReadLine()).empty();) rest += line + "\n";
  EXPECT_THAT(rest, HasSubstr("shards: 3\n"));
  EXPECT_THAT(rest, HasSubstr("log_format: TEXT\n"));
  EXPECT_EQ(program.Wait(), 0);
}

// A file with the list of callers.
std::string CallersFile(const std::string& text) {
  const std::string path = absl::StrCat(testing::TempDir(), "server_program_", getpid(), ".callers");
  std::ofstream(path, std::ios::trunc) << text;
  return path;
}

TEST(ServerProgramTest, PrintConfigTellsWhomTheListOfCallersLetsIn) {
  Program program({"--print_config", "--callers=" + CallersFile("acme read name:x\nacme limits streams=3 weight=2\n")});
  std::string rest;
  for (std::string line; !(line = program.ReadLine()).empty();) rest += line + "\n";
  EXPECT_THAT(rest, HasSubstr("\n# tenant acme: 1 callers, weight=2 streams=3\n"));
  EXPECT_EQ(program.Wait(), 0);
}

TEST(ServerProgramTest, TheLineOfTheListOfCallersThatIsWrongIsNamed) {
  const std::string path = CallersFile("acme read name:x\nacme limits stream=3\n");
  for (const char* print : {"--print_config", "--listen=127.0.0.1:0"}) {
    Program program({print, "--callers=" + path});
    EXPECT_EQ(program.Wait(), 2);
    EXPECT_THAT(program.Log(), HasSubstr(absl::StrCat("callers: ", path, ": line 2: 'stream' is no limit")));
  }
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
