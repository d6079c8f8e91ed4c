#include "tests/server/store/rocksdb/killed_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace aaren::store {
namespace {

// The pipe's text until the time is over, the writer has ended, or the writer is done.
std::string ReadUntil(int pipe, int most_ms) {
  std::string text;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(most_ms);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd waits{pipe, POLLIN, 0};
    if (poll(&waits, 1, most_ms == 0 ? -1 : std::max<int>(0, static_cast<int>(left.count()))) == 0) return text;
    char part[4096];
    const ssize_t size = read(pipe, part, sizeof(part));
    if (size <= 0) return text;
    text.append(part, static_cast<size_t>(size));
    if (text.size() >= 5 && text.compare(text.size() - 5, 5, "done\n") == 0) return text;
  }
}

}  // namespace

void Oracle::Take(const std::string& line) {
  std::istringstream words(line);
  std::string kind, key;
  uint64_t number = 0;
  if (!(words >> kind >> key >> number) || kind.size() != 1) return;
  Known& known = known_[key];
  known.tried = number;
  if (kind == "?") return;
  known.answered = number;
  known.deleted = kind == "-";
}

std::vector<std::string> Oracle::Lost(BlockingStore store) const {
  std::vector<std::string> lost;
  for (const auto& [key, known] : known_) {
    const absl::StatusOr<SessionRecord> record = store.Load(key);
    if (absl::IsDataLoss(record.status())) continue;
    const uint64_t seq = record.ok() && !record->saves.empty() ? record->saves.back().point.seq : 0;
    const bool is_there = known.deleted ? seq == 0 || seq > known.answered : seq >= known.answered;
    const bool may_be_deleted = seq == 0 && known.tried > known.answered;  // by an unanswered deletion
    if (!is_there && !may_be_deleted) lost.push_back(absl::StrCat(key, " at ", seq, " not ", known.answered));
  }
  return lost;
}

size_t Oracle::sessions() const {
  return static_cast<size_t>(
      std::count_if(known_.begin(), known_.end(), [](const auto& entry) { return !entry.second.deleted; }));
}

WriterRun RunWriter(const std::string& folder, uint64_t seed, uint64_t writes, int most_ms, End end, Oracle& oracle) {
  int out[2], in[2];
  EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  const std::string seed_text = absl::StrCat(seed), writes_text = absl::StrCat(writes);
  std::vector<std::string> words{AAREN_WRITE_SESSIONS, folder, seed_text, writes_text};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  EXPECT_EQ(posix_spawn(&pid, AAREN_WRITE_SESSIONS, &actions, nullptr, arguments.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(in[0]);
  std::string text = ReadUntil(out[0], most_ms);
  if (end == End::kKilled) kill(pid, SIGKILL);
  close(in[1]);
  int status = 0;
  waitpid(pid, &status, 0);
  text += ReadUntil(out[0], 0);
  close(out[0]);
  WriterRun run;
  for (const absl::string_view part : absl::StrSplit(text, '\n')) {
    const std::string line(part);
    if (line.rfind("refused ", 0) == 0) run.refused = line;
    run.opened |= line == "opened";
    oracle.Take(line);
  }
  return run;
}

Files FilesIn(const std::string& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename() == "owner") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

}  // namespace aaren::store
