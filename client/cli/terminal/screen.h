#ifndef AAREN_CLIENT_CLI_TERMINAL_SCREEN_H_
#define AAREN_CLIENT_CLI_TERMINAL_SCREEN_H_

// A Screen is the terminal's second screen, on which a program draws while it runs, without a cursor. When it goes, the
// first one is back: also where an Interrupt has to end the process, and, as far as a signal leaves time for that, on a
// terminal that nobody reads. Threading: one thread at a time; one Screen at a time.

#include <sys/ioctl.h>

#include "absl/strings/string_view.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

class Screen {
 public:
  // `fd` is the terminal. Both outlive this.
  Screen(int fd, const Interrupt& interrupt);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  winsize size() const;

  // Waits until the terminal has taken the text, or a signal has come.
  void Draw(absl::string_view text);

  // Goes back to the first screen, and draws there. A terminal that does not take that within a second after a signal
  // forgets what it has not shown: it is left in order, and without the text.
  void Leave(absl::string_view text);

 private:
  const int fd_;
  const int own_;  // the same terminal, for writes that do not wait; fd_ where there is none
  const Interrupt& interrupt_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_SCREEN_H_
