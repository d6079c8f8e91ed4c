#ifndef AAREN_CLIENT_CLI_TERMINAL_SCREEN_H_
#define AAREN_CLIENT_CLI_TERMINAL_SCREEN_H_

// A Screen is the terminal's second screen, where a program draws while it runs, without a cursor. The destructor
// brings the first screen back: also where an Interrupt has to end the process, and, if a signal leaves time, on a
// terminal that nobody reads. Threading: one thread at a time; a single Screen at a time.

#include <sys/ioctl.h>

#include "absl/strings/string_view.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

class Screen {
 public:
  // `fd` is the terminal. Both arguments outlive the screen.
  Screen(int fd, const Interrupt& interrupt);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  winsize size() const;

  // Waits until the terminal has taken the text, or a signal has come.
  void Draw(absl::string_view text);

  // Goes back to the first screen, and draws there. A terminal that does not take the text within a second after a
  // signal forgets the text, and is left in order.
  void Leave(absl::string_view text);

 private:
  const int fd_;
  const int own_;  // the same terminal, for writes that do not wait; fd_ without a second descriptor
  const Interrupt& interrupt_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_SCREEN_H_
