#include "server/sessions/queue/waiting_item.h"

#include <cstring>

#include "server/sessions/session/peer.h"

namespace aaren::queue {
namespace {

constexpr size_t kRefusalTexts = 256;  // bytes of a refusal's words, about

}  // namespace

float* WaitingItem::SetNumbers(absl::Span<const int64_t> times, size_t floats) {
  const size_t time_bytes = times.size() * sizeof(int64_t);
  const size_t input_bytes = floats * sizeof(float);
  std::byte* to = few;
  if (time_bytes + input_bytes > sizeof(few)) {
    many = std::make_unique_for_overwrite<std::byte[]>(time_bytes + input_bytes);
    to = many.get();
  }
  timed = !times.empty();
  if (timed) std::memcpy(to, times.data(), time_bytes);
  return reinterpret_cast<float*>(to + time_bytes);
}

size_t WaitingItem::bytes(size_t floats) const {
  const size_t token = floats * sizeof(float) + (timed ? sizeof(int64_t) : 0);
  const size_t refusal = kind == Kind::kRefusal ? sizeof(session::Refusal) + kRefusalTexts : 0;
  return sizeof(*this) + tokens * token + refusal;
}

}  // namespace aaren::queue
