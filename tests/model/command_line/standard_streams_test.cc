#include "model/command_line/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

namespace aaren::command_line {
namespace {

// Runs `holds` in a process of its own, which exits with 0 if `holds` is true.
template <typename Holds>
void InAnother(const Holds& holds) {
  EXPECT_EXIT(_exit(holds() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

TEST(StandardStreamsTest, AFileOpenedLaterIsNotTakenForAClosedStream) {
  InAnother([] {
    for (int fd = 0; fd <= 2; ++fd) close(fd);
    HoldStandardStreams();
    return open("/dev/null", O_RDWR) > STDERR_FILENO;
  });
}

TEST(StandardStreamsTest, WritesToAClosedStreamStillFail) {
  InAnother([] {
    close(STDOUT_FILENO);
    HoldStandardStreams();
    return write(STDOUT_FILENO, "x", 1) < 0 && errno == EBADF;
  });
}

TEST(StandardStreamsTest, ReadsFromAClosedStreamStillFail) {
  InAnother([] {
    close(STDIN_FILENO);
    HoldStandardStreams();
    char byte;
    return read(STDIN_FILENO, &byte, 1) < 0 && errno == EBADF;
  });
}

TEST(StandardStreamsTest, OpenStreamsStayAsTheyAre) {
  InAnother([] {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) return false;
    HoldStandardStreams();
    char byte;
    return write(STDOUT_FILENO, "x", 1) == 1 && read(ends[0], &byte, 1) == 1;
  });
}

}  // namespace
}  // namespace aaren::command_line
