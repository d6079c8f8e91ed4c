#include "model/training/paper/grid/grid.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/training/folder_lock.h"

namespace aaren::training {
namespace {

constexpr useconds_t kPoll = 50'000;  // microseconds between two looks at the processes

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::string Duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
}

class Grid {
 public:
  Grid(const std::vector<PaperCell>& cells, const GridOptions& options, const CellRunner& run,
       std::unique_ptr<FolderLock> lock)
      : cells_(cells), options_(options), run_(run), lock_(std::move(lock)) {}

  absl::Status Run(const std::function<bool()>& goes_on) {
    if (absl::Status status = FindMissing(); !status.ok()) return status;
    absl::Status status;
    while ((next_ < missing_.size() && status.ok()) || !running_.empty()) {
      if (!goes_on()) return Stop();
      while (status.ok() && next_ < missing_.size() && running_.size() < static_cast<size_t>(options_.processes)) {
        status = Start(*missing_[next_++]);
      }
      status.Update(Reap());
      usleep(kPoll);
    }
    if (!status.ok() && !goes_on()) return Stop();  // the signal may have ended the cells before this process
    if (!status.ok()) return absl::Status(status.code(), absl::StrCat(status.message(), "; ", Left()));
    return status;
  }

 private:
  struct Process {
    const PaperCell* cell;
    int errors;  // descriptor from which the process's error is read
  };

  absl::Status FindMissing() {
    for (const PaperCell& cell : cells_) {
      const absl::Status status = LoadResult(options_.folder, cell, options_.settings).status();
      if (absl::IsNotFound(status)) {
        missing_.push_back(&cell);
      } else if (!status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Start(const PaperCell& cell) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError("cannot make a pipe");
    std::fflush(nullptr);  // a text in a buffer would be written by both processes
    const pid_t parent = getpid(), child = fork();
    if (child == 0) Work(cell, parent, ends[1]);
    close(ends[1]);
    if (child > 0) {
      running_[child] = {.cell = &cell, .errors = ends[0]};
      return absl::OkStatus();
    }
    close(ends[0]);
    return absl::UnavailableError("cannot start a process");
  }

  // The life of a cell's process.
  [[noreturn]] void Work(const PaperCell& cell, pid_t parent, int errors) {
    lock_.reset();  // a lock held here as well would outlive a killed grid for a moment
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent died before the call above
    const absl::Status status = RunAndSave(cell);
    const std::string text(status.message());
    const bool told = write(errors, text.data(), text.size()) >= 0;
    std::fflush(nullptr);
    _exit(told ? static_cast<int>(status.code()) : 1);
  }

  absl::Status RunAndSave(const PaperCell& cell) {
    const double start = Now();
    absl::StatusOr<PaperResult> result = run_(
        cell, [&](const std::string& text) { absl::FPrintF(options_.progress, "%s: epoch %s\n", cell.Name(), text); });
    if (!result.ok()) return result.status();
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    result->seconds = Now() - start;
    result->cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
    result->peak_bytes = int64_t{usage.ru_maxrss} * 1024;
    return SaveResult(options_.folder, cell, options_.settings, *result);
  }

  // Takes note of the processes that ended. The first error among them is returned.
  absl::Status Reap() {
    absl::Status status;
    int how = 0;
    for (pid_t child; (child = waitpid(-1, &how, WNOHANG)) > 0;) {
      const auto at = running_.find(child);
      if (at == running_.end()) continue;
      const Process process = at->second;
      running_.erase(at);
      const absl::Status one = OutcomeOf(process, how);
      if (one.ok()) Announce(*process.cell);
      status.Update(one);
    }
    return status;
  }

  static absl::Status OutcomeOf(const Process& process, int how) {
    char text[4096];
    const ssize_t count = read(process.errors, text, sizeof(text));
    close(process.errors);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return absl::OkStatus();
    if (WIFSIGNALED(how)) {
      return absl::InternalError(absl::StrCat(process.cell->Name(), " was ended by signal ", WTERMSIG(how)));
    }
    const absl::string_view message(text, count > 0 ? static_cast<size_t>(count) : 0);
    return absl::Status(static_cast<absl::StatusCode>(WEXITSTATUS(how)),
                        absl::StrCat(process.cell->Name(), ": ", message));
  }

  void Announce(const PaperCell& cell) {
    ++done_here_;
    const double seconds = (Now() - start_) / static_cast<double>(done_here_) * static_cast<double>(LeftHere());
    absl::FPrintF(options_.progress, "%s is complete; %s, about %s\n", cell.Name(), Left(), Duration(seconds));
  }

  size_t LeftHere() const { return missing_.size() - done_here_; }

  std::string Left() const {
    return absl::StrCat(cells_.size() - LeftHere(), " of ", cells_.size(), " cells are complete, ", LeftHere(),
                        " left");
  }

  absl::Status Stop() {
    for (const auto& [child, process] : running_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      close(process.errors);
    }
    return absl::CancelledError(absl::StrCat("interrupted: ", Left(), "; the same command goes on"));
  }

  const std::vector<PaperCell>& cells_;
  const GridOptions& options_;
  const CellRunner& run_;
  std::unique_ptr<FolderLock> lock_;
  const double start_ = Now();
  std::vector<const PaperCell*> missing_;
  size_t next_ = 0, done_here_ = 0;
  std::map<pid_t, Process> running_;
};

}  // namespace

absl::StatusOr<std::vector<PaperResult>> RunGrid(const std::vector<PaperCell>& cells, const GridOptions& options,
                                                 const CellRunner& run, const std::function<bool()>& goes_on) {
  absl::StatusOr<std::unique_ptr<FolderLock>> lock = FolderLock::Take(options.folder);
  if (!lock.ok()) return lock.status();
  if (absl::Status status = Grid(cells, options, run, *std::move(lock)).Run(goes_on); !status.ok()) return status;
  std::vector<PaperResult> results;
  for (const PaperCell& cell : cells) {
    absl::StatusOr<PaperResult> result = LoadResult(options.folder, cell, options.settings);
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

}  // namespace aaren::training
