#include "tests/server/program/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace aaren {

Program::Program(std::vector<std::string> arguments, std::optional<Limit> limit)
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

Program::~Program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    Wait();
  }
  close(output_);
  std::error_code ignored;
  std::filesystem::remove_all(state_, ignored);
}

std::string Program::ReadLine() {
  std::string line;
  for (char c; read(output_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

void Program::Signal(int signal) { kill(pid_, signal); }

int Program::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string Program::Log() const {
  std::ifstream in(log_);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<std::string> FreePorts() { return {"--listen=127.0.0.1:0", "--metrics_listen=127.0.0.1:0"}; }

// The HOST:PORT after `name`= in the line.
std::string AddressIn(const std::string& line, const std::string& name) {
  const size_t begin = line.find(name + "=") + name.size() + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

}  // namespace aaren
