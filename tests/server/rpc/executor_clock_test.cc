#include "server/rpc/executor_clock.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>

#include "absl/synchronization/notification.h"
#include "tests/server/shard/world/world.h"

namespace aaren::rpc {
namespace {

// A thread of this name, until it has worked for a millisecond; then it is there until the end.
class Worker {
 public:
  explicit Worker(const char* name) : thread_([this] { Work(); }) { Name(name); }
  ~Worker() {
    end_.Notify();
    thread_.join();
  }
  void Name(const char* name) { pthread_setname_np(thread_.native_handle(), name); }
  void Work1ms() {
    begin_.Notify();
    worked_.WaitForNotification();
  }

 private:
  static int64_t Now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  }
  void Work() {
    begin_.WaitForNotification();
    const int64_t until = Now() + 1'000'000;
    while (Now() < until) {
    }
    worked_.Notify();
    end_.WaitForNotification();
  }

  absl::Notification begin_, worked_, end_;
  std::thread thread_;
};

class ExecutorClockTest : public testing::Test {
 protected:
  shard::TestClock clock_;
  ExecutorClock executors_{clock_};
};

TEST_F(ExecutorClockTest, CountsThreadsThatGrpcNamesSo) {
  Worker worker("default-executo");
  const int64_t before = executors_.worked_ns();
  worker.Work1ms();
  EXPECT_GE(executors_.worked_ns() - before, 1'000'000);
}

TEST_F(ExecutorClockTest, CountsNoOthers) {
  Worker worker("shard-0");
  const int64_t before = executors_.worked_ns();
  worker.Work1ms();
  EXPECT_LT(executors_.worked_ns() - before, 1'000'000);
}

TEST_F(ExecutorClockTest, FindsNewOnesAfterAFifthOfASecond) {
  EXPECT_EQ(executors_.worked_ns(), 0);
  Worker worker("default-executo");
  worker.Work1ms();
  EXPECT_EQ(executors_.worked_ns(), 0);
  clock_.Advance(absl::Milliseconds(200));
  EXPECT_GE(executors_.worked_ns(), 1'000'000);
}

// gRPC's threads name themselves.
TEST_F(ExecutorClockTest, CountsAThreadThatGotItsNameAfterItWasFound) {
  Worker worker("aaren-server");
  (void)executors_.worked_ns();
  worker.Name("default-executo");
  clock_.Advance(absl::Milliseconds(200));
  const int64_t before = executors_.worked_ns();
  worker.Work1ms();
  EXPECT_GE(executors_.worked_ns() - before, 1'000'000);
}

TEST_F(ExecutorClockTest, ForgetsThreadsThatHaveEnded) {
  {
    Worker worker("default-executo");
    worker.Work1ms();
    EXPECT_GE(executors_.worked_ns(), 1'000'000);
  }
  clock_.Advance(absl::Milliseconds(200));
  EXPECT_EQ(executors_.worked_ns(), 0);
}

}  // namespace
}  // namespace aaren::rpc
