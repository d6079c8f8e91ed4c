// A row from outside: a real series' row, with changes named by the bytes. A row accepted by CheckRow forecasts finite
// numbers only.

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/fuzz/target.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::fuzz {
namespace {

constexpr size_t kChange = 10;  // bytes of a change: its place, and eight new bytes

// A session with some past, for every input the same.
struct Session {
  Session() : stepper(engine::RandomPackage(Config(), 5)), slot(stepper.Open()) {
    stepper.Feed(slot, engine::Series(7, 400));
    row = stepper.RowBytes(slot);
  }
  static package::ForecasterConfig Config() {
    package::ForecasterConfig config = engine::TinyConfig();
    config.seasons = true;
    return config;
  }

  engine::Stepper stepper;
  engine::Slot slot;
  std::vector<std::byte> row;
};

void Change(absl::string_view change, std::vector<std::byte>& row) {
  uint16_t at = 0;
  std::memcpy(&at, change.data(), sizeof(at));
  std::memcpy(row.data() + at % (row.size() - 8), change.data() + sizeof(at), 8);
}

}  // namespace

void RunRow(absl::string_view bytes) {
  static Session& session = *new Session;
  std::vector<std::byte> row = session.row;
  for (; bytes.size() >= kChange; bytes.remove_prefix(kChange)) Change(bytes, row);
  if (bytes.size() == kChange - 1) row.pop_back();  // a byte short
  if (!session.stepper.engine()->CheckRow(row).ok()) return;
  session.stepper.SetRow(session.slot, row);
  const engine::Outputs outputs = session.stepper.Feed(session.slot, engine::Series(8, 40));
  for (const float number : outputs.forecasts) Must(std::isfinite(number), "a forecast is not finite");
}

}  // namespace aaren::fuzz
