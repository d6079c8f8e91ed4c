#include "client/cli/terminal/screen.h"

#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "client/cli/terminal/patient_write.h"

namespace aaren::cli {
namespace {

constexpr absl::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // second screen, no cursor
constexpr absl::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::chrono::seconds kPatience(1);

std::atomic<int> entered = -1;  // the terminal to be given back

// For quick_exit, which runs no destructor.
void GiveBack() {
  const int fd = entered.exchange(-1);
  if (fd >= 0) [[maybe_unused]]
    const ssize_t written = write(fd, kLeave.data(), kLeave.size());
}

}  // namespace

Screen::Screen(int fd, const Interrupt& interrupt) : fd_(fd), own_(OpenAgain(fd)), interrupt_(interrupt) {
  [[maybe_unused]] static const int kRegistered = std::at_quick_exit(GiveBack);
  // At a quick exit only a descriptor that does not wait may be written to.
  if (own_ >= 0) entered = own_;
  Draw(kEnter);
}

Screen::~Screen() {
  entered = -1;
  if (own_ >= 0) close(own_);
}

winsize Screen::size() const {
  winsize size{};
  // Some terminals do not tell their size.
  if (ioctl(fd_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    size.ws_row = 24;
    size.ws_col = 80;
  }
  return size;
}

void Screen::Draw(absl::string_view text) {
  (void)PatientWrite(own_ >= 0 ? own_ : fd_, text, "the terminal", [this] { return interrupt_.signal() != 0; });
}

void Screen::Leave(absl::string_view text) {
  const auto end = Interrupt::Clock::now() + kPatience;
  // Without a signal the terminal may take its time.
  const auto late = [&] { return interrupt_.signal() != 0 && Interrupt::Clock::now() > end; };
  const absl::Status left = PatientWrite(own_ >= 0 ? own_ : fd_, absl::StrCat(kLeave, text), "the terminal", late);
  if (!absl::IsCancelled(left)) return;
  std::signal(SIGTTOU, SIG_IGN);  // else a process in the background would stop here
  // Ctrl-S may have stopped the output. The output goes on, and the text that waits is dropped.
  tcflow(fd_, TCOON);
  tcflush(fd_, TCOFLUSH);
  GiveBack();
}

}  // namespace aaren::cli
