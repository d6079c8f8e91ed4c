#include "tests/bench/attention/gnuplot.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace aaren::bench {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// A nameless file rather than a pipe: a program that ends early does not break the writer.
absl::StatusOr<File> FileWith(absl::string_view text) {
  File file(std::tmpfile(), std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0) {
    return absl::ErrnoToStatus(errno, "cannot write a temporary file");
  }
  std::rewind(file.get());
  return file;
}

absl::StatusOr<pid_t> Spawn(const std::string& program, int input) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  const char* const arguments[] = {program.c_str(), nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, program.c_str(), &actions, nullptr, const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    return absl::FailedPreconditionError(
        absl::StrCat("the figure was not drawn: there is no program '", program,
                     "' in PATH; install it (Debian and Ubuntu: apt-get install gnuplot-nox)"));
  }
  if (error != 0) return absl::ErrnoToStatus(error, absl::StrCat("cannot run ", program));
  return pid;
}

}  // namespace

absl::Status RunGnuplot(absl::string_view script, const std::string& program) {
  const absl::StatusOr<File> input = FileWith(script);
  if (!input.ok()) return input.status();
  const absl::StatusOr<pid_t> pid = Spawn(program, fileno(input->get()));
  if (!pid.ok()) return pid.status();
  int status = 0;
  while (waitpid(*pid, &status, 0) < 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, "waitpid");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the figure was not drawn: ", program, " failed, see its message above"));
}

std::string Quoted(absl::string_view text) { return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "''"}}), "'"); }

}  // namespace aaren::bench
