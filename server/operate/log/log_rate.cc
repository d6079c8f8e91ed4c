#include "server/operate/log/log_rate.h"

namespace aaren::log {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

}  // namespace

std::optional<uint64_t> LogRate::Admit(std::string_view event, int64_t now_ns) {
  absl::MutexLock lock(&mutex_);
  const auto [place, added] = events_.try_emplace(std::string(event));
  Second& second = place->second;
  uint64_t left_out = 0;
  if (added || now_ns - second.begin_ns >= kSecondNs) {
    if (second.lines > kLinesASecond) left_out = second.lines - kLinesASecond;
    second = {now_ns, 0};
  }
  if (++second.lines > kLinesASecond) return std::nullopt;
  return left_out;
}

}  // namespace aaren::log
