#include "tests/e2e/soak/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "tests/e2e/soak/connection.h"

namespace aaren::soak {
namespace {

std::string ReadLine(int fd) {
  std::string line;
  for (char c; read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

// The word after `name`= in the line.
std::string Word(const std::string& line, const std::string& name) {
  const size_t at = line.find(name + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

}  // namespace

std::unique_ptr<ServerProcess> ServerProcess::Start(const std::string& program, std::vector<std::string> flags,
                                                    const std::string& log) {
  flags.insert(flags.begin(), program);
  std::vector<char*> argv;
  for (std::string& flag : flags) argv.push_back(flag.data());
  argv.push_back(nullptr);
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) return nullptr;
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output[1], STDOUT_FILENO);
    dup2(open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(output[1]);
  std::unique_ptr<ServerProcess> server(new ServerProcess(pid, output[0]));
  if (!server->address_.empty()) return server;
  std::fprintf(stderr, "%s does not start; see %s\n", program.c_str(), log.c_str());
  return nullptr;
}

ServerProcess::ServerProcess(pid_t pid, int output) : pid_(pid), output_(output) {
  const std::string ready = ReadLine(output_);
  address_ = Word(ready, "listen");
  metrics_address_ = Word(ready, "metrics");
}

ServerProcess::~ServerProcess() {
  if (!Ended()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(output_);
}

std::map<std::string, double> ServerProcess::Metrics() const {
  std::map<std::string, double> metrics;
  const std::string page = Ask(metrics_address_, "GET /metrics HTTP/1.0\r\n\r\n");
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    const std::pair<absl::string_view, absl::string_view> words = absl::StrSplit(line, absl::MaxSplits(' ', 1));
    double value = 0;
    if (absl::SimpleAtod(words.second, &value)) metrics[std::string(words.first)] = value;
  }
  return metrics;
}

uint64_t ServerProcess::ResidentBytes() const {
  std::ifstream statm(absl::StrCat("/proc/", pid_, "/statm"));
  uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::optional<int> ServerProcess::Ended() {
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return ended_;
}

std::optional<int> ServerProcess::Terminate(absl::Duration most) {
  kill(pid_, SIGTERM);
  const absl::Time deadline = absl::Now() + most;
  while (!Ended() && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(5));
  return ended_;
}

}  // namespace aaren::soak
