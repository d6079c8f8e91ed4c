#include "server/sessions/registrar/refold.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/forecast_result.h"

namespace aaren::registrar {
namespace {

// A row that has taken these values and has its last forecast, as bytes at `to`.
absl::Status FoldRow(engine::Lane& lane, size_t result_floats, const std::vector<double>& values, std::byte* to) {
  engine::Slot slot;
  absl::Status status = lane.Allocate(absl::MakeSpan(&slot, 1));
  if (status.ok()) status = lane.Reset({&slot, 1});
  if (status.ok() && !values.empty()) {
    std::vector<uint8_t> wanted(values.size(), 0);
    wanted.back() = 1;
    std::vector<float> forecast(result_floats);
    const std::vector<float> input = engine::RunValues(values);
    const engine::Run run{slot, input, wanted, forecast.data()};
    const absl::StatusOr<engine::Ticket> ticket = lane.Submit({&run, 1});
    status = ticket.ok() ? lane.Wait(*ticket) : ticket.status();
  }
  const engine::RowRead read{slot, to};
  if (status.ok()) status = lane.Read({&read, 1});
  lane.Free({&slot, 1});
  return status;
}

}  // namespace

absl::StatusOr<std::string> Refold(const engine::Engine& from, const engine::Engine& to, uint32_t channels,
                                   absl::string_view rows) {
  const std::unique_ptr<engine::Lane> lane = to.NewLane(1);
  std::string made(channels * to.row_bytes(), '\0');
  for (uint32_t channel = 0; channel < channels; ++channel) {
    const absl::string_view row = rows.substr(channel * from.row_bytes(), from.row_bytes());
    const std::vector<double> values = from.Remembered({reinterpret_cast<const std::byte*>(row.data()), row.size()});
    std::byte* out = reinterpret_cast<std::byte*>(made.data()) + channel * to.row_bytes();
    if (absl::Status status = FoldRow(*lane, to.result_floats(), values, out); !status.ok()) return status;
  }
  return made;
}

}  // namespace aaren::registrar
