#include "tests/bench/server/served.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace aaren::bench {
namespace {

// Reads up to the end of the first line.
std::string ReadLine(int fd) {
  std::string line;
  for (char c; read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

// The program beside this program.
std::string ServerProgram() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).replace_filename("aaren-bench-server");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Served>> Served::Start(const std::string& kind, const ServedOptions& options) {
  const std::string program = options.program.empty() ? ServerProgram() : options.program;
  const std::string shards = absl::StrCat(options.shards);
  int input[2];
  int output[2];
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (pid == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    // One shard is not passed: older builds know no number of shards.
    execl(program.c_str(), program.c_str(), kind.c_str(), options.shards == 1 ? nullptr : shards.c_str(), nullptr);
    _exit(127);
  }
  close(input[0]);
  close(output[1]);
  const std::string line = ReadLine(output[0]);
  close(output[0]);
  auto served = std::unique_ptr<Served>(new Served(pid, input[1]));
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  if (words.size() != 3) return absl::InternalError(absl::StrCat(program, " ", kind, " did not start: '", line, "'"));
  served->target_ = words[1];
  served->row_bytes_ = std::stoll(words[2]);
  return served;
}

Served::~Served() {
  close(input_);
  waitpid(pid_, nullptr, 0);
}

int64_t Served::resident_bytes() const {
  std::ifstream in(absl::StrCat("/proc/", pid_, "/statm"));
  int64_t size = 0, resident = 0;
  in >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

double Served::cpu_seconds() const {
  std::ifstream in(absl::StrCat("/proc/", pid_, "/stat"));
  std::stringstream text;
  text << in.rdbuf();
  const std::string after_name = text.str().substr(text.str().rfind(')') + 2);
  const std::vector<std::string> fields = absl::StrSplit(after_name, ' ');
  return (std::stod(fields[11]) + std::stod(fields[12])) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace aaren::bench
