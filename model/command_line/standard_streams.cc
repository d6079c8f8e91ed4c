#include "model/command_line/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace aaren::command_line {

// Each open takes the lowest free number, so the loop fills the gaps in order.
void HoldStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // The mode is the wrong way round on purpose: reads of standard input and writes to the others then fail
    // (standard_streams.h).
    [[maybe_unused]] const int held = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace aaren::command_line
