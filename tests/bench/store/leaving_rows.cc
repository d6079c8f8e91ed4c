// The saves of a server that is told to end: sessions never saved before, all of them, through the server's own
// shutdown. The save interval is an hour: no session is saved before. The server has no /metrics, whose listener takes
// a second or two to end after the last save.

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/server/driver.h"
#include "tests/bench/store/saving_server.h"
#include "tests/bench/store/store_rows.h"

namespace aaren::bench {
namespace {

constexpr double kGoalSeconds = 5;
constexpr absl::Duration kMost = absl::Minutes(5);

// Sends one token of each session; the stream stays open.
absl::StatusOr<std::unique_ptr<Driver>> MakeDirty(const std::string& target, int sessions) {
  absl::StatusOr<std::unique_ptr<Driver>> driver =
      Driver::Connect(target, {.streams = 4, .sessions = sessions, .window = 1, .merge = true});
  if (!driver.ok()) return driver.status();
  const absl::Time deadline = absl::Now() + kMost;
  while ((*driver)->points() < static_cast<uint64_t>(sessions) && absl::Now() < deadline) {
    if (absl::Status status = (*driver)->Run(absl::Milliseconds(1)).status(); !status.ok()) return status;
  }
  return driver;
}

}  // namespace

absl::StatusOr<std::vector<Row>> LeavingRows(const std::string& folder) {
  const int sessions = BenchSessions(100'000);
  const std::string place = folder + "/leaving";
  absl::StatusOr<std::unique_ptr<soak::ServerProcess>> server =
      StartSavingServer(place, {"--metrics_listen=", "--save_interval=1h", "--grace=5m"});
  if (!server.ok()) return server.status();
  const absl::StatusOr<std::unique_ptr<Driver>> driver = MakeDirty((*server)->address(), sessions);
  if (!driver.ok()) return driver.status();
  absl::Notification over;
  std::thread client([&] { (*driver)->StayUntil(over); });
  const absl::Time asked = absl::Now();
  const std::optional<int> ended = (*server)->Terminate(kMost);
  const double seconds = absl::ToDoubleSeconds(absl::Now() - asked);
  over.Notify();
  client.join();
  if (ended != 0) return absl::DataLossError(absl::StrCat("a leaving server did not save all; see ", place, "/log"));
  return std::vector<Row>{{{"store", std::string("rocksdb")},
                           {"operation", std::string("leave")},
                           {"sessions", int64_t{sessions}},
                           {"seconds", seconds},
                           {"goal_seconds", kGoalSeconds},
                           {"per_second", sessions / seconds},
                           {"bytes_per_session", BytesOf(place + "/data") / sessions}}};
}

}  // namespace aaren::bench
