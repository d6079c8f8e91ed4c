#include "server/program/process_limits.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace aaren::program {
namespace {

constexpr rlim_t kLeastFiles = 64;  // a start opens some 20; files of the store and connections come later
constexpr std::array<int, 3> kEnds = {SIGABRT, SIGSEGV, SIGBUS};  // after a refused allocation without a check

// Made beforehand: at the end memory may lack for a text. `any` is empty without a limited address space.
struct Lines {
  std::string memory, threads, any;
};
const Lines* lines = nullptr;

// "N TITLE (ulimit FLAG)"; empty without a limit.
std::string Limit(int resource, const char* title, const char* flag) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return absl::StrCat(limit.rlim_cur, " ", title, " (ulimit ", flag, ")");
}

Lines MakeLines() {
  const std::string space = Limit(RLIMIT_AS, "bytes of address space", "-v");
  const std::string processes = Limit(RLIMIT_NPROC, "processes and threads of this user", "-u");
  const std::string lift = ". Raise that limit, or lift it\n";
  constexpr char kCannot[] = "aaren-server: cannot start: ";
  Lines made;
  made.memory = space.empty() ? absl::StrCat(kCannot, "there is no memory left\n")
                              : absl::StrCat(kCannot, "memory was refused; the limit is ", space, lift);
  made.threads =
      absl::StrCat(kCannot, "a thread cannot be made; the limits are ", processes, processes.empty() ? "" : ", ", space,
                   space.empty() ? "" : ", ", "that of the control group (pids.max)", lift);
  if (!space.empty()) made.any = absl::StrCat(kCannot, "it ended in a library; the limit is ", space, lift);
  return made;
}

// Also called in a signal handler, where only calls such as write and _exit are allowed.
[[noreturn]] void EndWith(const std::string& line) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  _exit(1);
}

// After an exception without a handler.
[[noreturn]] void OnTerminate() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    EndWith(lines->memory);
  } catch (const std::system_error& error) {
    // std::thread reports a thread that cannot be made by EAGAIN.
    if (error.code() == std::errc::resource_unavailable_try_again) EndWith(lines->threads);
  } catch (...) {
  }
  std::abort();
}

void OnEnd(int signal) {
  // Without a limited address space the signal keeps its usual effect, with a core dump where dumps are on.
  if (!lines->any.empty()) EndWith(lines->any);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

absl::Status CheckOpenFiles() {
  rlimit files{};
  // The hard limit counts, since the server raises the soft limit (server_options.cc).
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max >= kLeastFiles) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("cannot start: ", files.rlim_max,
                                                   " files may be open (ulimit -Hn), and it takes at least ",
                                                   kLeastFiles, ". Raise that limit"));
}

StartGuard::StartGuard() : before_(std::get_terminate()) {
  lines = new Lines(MakeLines());
  std::set_terminate(&OnTerminate);
  for (const int end : kEnds) signal(end, &OnEnd);
}

StartGuard::~StartGuard() {
  std::set_terminate(before_);
  for (const int end : kEnds) signal(end, SIG_DFL);
}

}  // namespace aaren::program
