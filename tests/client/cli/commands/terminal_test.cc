// The program on a terminal: its output, and its end when nobody reads.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/cli/temporary_file.h"
#include "tests/client/fake_server.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Clock = std::chrono::steady_clock;

// aaren with a terminal of its own, 20 lines of 60 columns.
class OnTerminal {
 public:
  explicit OnTerminal(std::vector<std::string> words) {
    winsize size{.ws_row = 20, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal;
    EXPECT_EQ(openpty(&reader_, &terminal, nullptr, nullptr, &size), 0);
    fcntl(reader_, F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (int fd : {0, 1, 2}) posix_spawn_file_actions_adddup2(&files, terminal, fd);
    posix_spawn_file_actions_addclose(&files, terminal);
    words.insert(words.begin(), AAREN_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::string term = "TERM=xterm";
    char* environment[] = {term.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, AAREN_PROGRAM, &files, nullptr, argv.data(), environment), 0);
    posix_spawn_file_actions_destroy(&files);
    close(terminal);
  }

  ~OnTerminal() {
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
    close(reader_);
  }

  // Returns once the terminal is full, and the program waits.
  void AwaitFull() const {
    for (int before = -1, steady = 0; steady < 10;) {
      int waiting = 0;
      ioctl(reader_, FIONREAD, &waiting);
      steady = waiting == before && waiting > 0 ? steady + 1 : 0;
      before = waiting;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  void Signal(int number) const { kill(pid_, number); }

  // The exit status, or minus the signal that ended the program; -1000 after 20 s.
  int Wait() {
    for (const auto end = Clock::now() + std::chrono::seconds(20); Clock::now() < end;) {
      int status;
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return -1000;
  }

  // The whole output: the program has ended, or ends meanwhile.
  std::string Read() const {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(reader_, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
    return text;
  }

 private:
  int reader_ = -1;
  pid_t pid_ = 0;
};

class UnreadTerminalTest : public testing::TestWithParam<const char*> {};

TEST_P(UnreadTerminalTest, SignalEndsTheProgram) {
  const FakeServer server;
  for (const int signal : {SIGINT, SIGTERM}) {
    OnTerminal aaren({"stream", "--source=system", "--columns=cpu_percent", "--interval=10ms",
                      "--target=" + server.target(), "--horizon=2", GetParam()});
    aaren.AwaitFull();
    const auto begin = Clock::now();
    aaren.Signal(signal);
    EXPECT_EQ(aaren.Wait(), 128 + signal);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(8));
    const std::string text = aaren.Read();
    const bool drawn = text.find("\x1b[?1049h") != std::string::npos;
    EXPECT_EQ(text.find("\x1b[?25h\x1b[?1049l") != std::string::npos, drawn);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, UnreadTerminalTest, testing::Values("--every=1", "--json"));

TEST(TerminalTest, ScreenIsGivenBackWithTheLastPictureAndTheWords) {
  const FakeServer server;
  TemporaryFile csv;
  csv.Write("load\n1\n2\n3\n");
  OnTerminal aaren({"stream", "--csv=" + csv.path(), "--target=" + server.target(), "--horizon=2", "--alert=0.1"});
  const std::string text = aaren.Read();
  EXPECT_EQ(aaren.Wait(), 0);
  const size_t left = text.find("\x1b[?25h\x1b[?1049l");
  ASSERT_NE(left, std::string::npos) << text;
  EXPECT_THAT(text.substr(left), HasSubstr("load"));
  EXPECT_THAT(text, HasSubstr("aaren: alerts: 0 of 0 values"));
}

// Returns the text that the live view shows of a stream whose values are all surprising.
std::string SurprisingView(bool learning, const std::vector<std::string>& flags) {
  const FakeServer server({.surprises = true, .lie = [learning](v1::ServerMessage& message) {
                             for (v1::ServerItem& item : *message.mutable_items()) {
                               if (!learning || !item.has_forecasts()) continue;
                               item.mutable_forecasts()->mutable_learning()->Resize(item.forecasts().surprise_size(),
                                                                                    true);
                             }
                           }});
  const TemporaryFile csv("load\n0\n1\n0\n1\n0\n1\n");
  std::vector<std::string> words = {"stream", "--csv=" + csv.path(), "--target=" + server.target(), "--horizon=2"};
  words.insert(words.end(), flags.begin(), flags.end());
  OnTerminal aaren(words);
  const std::string text = aaren.Read();
  EXPECT_EQ(aaren.Wait(), 0);
  return text;
}

constexpr char kRedDot[] = "\x1b[0;1;31m●";

TEST(TerminalTest, ValuesOfASessionThatIsLearningAreNotMarked) {
  for (const char* flag : {"--every=1", "--alert=0.1"}) {
    EXPECT_THAT(SurprisingView(false, {flag}), HasSubstr(kRedDot)) << flag;
    EXPECT_THAT(SurprisingView(true, {flag}), Not(HasSubstr(kRedDot))) << flag;
  }
  EXPECT_THAT(SurprisingView(true, {"--alert=0.1", "--alert_early"}), HasSubstr(kRedDot));
}

// Escapes of a column's name would be the terminal's orders.
TEST(TerminalTest, NamesOfColumnsAreShown) {
  const FakeServer server;
  TemporaryFile csv;
  std::string rows = "\x1b]0;owned\x07\xE2\x80\xAE温度\n";
  for (int i = 0; i < 30; ++i) rows += std::to_string(i % 3) + "\n";
  csv.Write(rows);
  const std::string from[] = {"--csv=" + csv.path(), "--target=" + server.target(), "--horizon=2"};
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"stream", from[0], from[1], from[2]},
                                             {"stream", from[0], from[1], from[2], "--json"},
                                             {"stream", from[0], from[1], from[2], "--columns=no"},
                                             {"evaluate", from[0], from[1], from[2]},
                                             {"evaluate", from[0], from[1], from[2], "--json"}}) {
    OnTerminal aaren(words);
    const std::string text = aaren.Read();
    aaren.Wait();
    for (const char* order : {"\x1b]", "\x07", "\xE2\x80\xAE"}) EXPECT_THAT(text, Not(HasSubstr(order)));
    EXPECT_THAT(text, HasSubstr("owned")) << words[0] << words.back();
  }
}

TEST(TerminalTest, WordsOfTheServerAreShown) {
  FakeServer server;
  server.FailNextOpen(3,
                      "no\x1b[2J such\nthing\xC2\x9B"
                      "31m",
                      0);
  TemporaryFile csv;
  csv.Write("a\n1\n");
  OnTerminal aaren({"stream", "--csv=" + csv.path(), "--target=" + server.target(), "--json"});
  const std::string text = aaren.Read();
  EXPECT_EQ(aaren.Wait(), 1);
  EXPECT_THAT(text, HasSubstr("no\\x1b[2J such\\x0athing\\x9b31m"));
}

}  // namespace
}  // namespace aaren::cli
