#include "server/net/rpc/streams/stream_group.h"

#include "server/net/rpc/streams/stream.h"

namespace aaren::rpc {
namespace {

constexpr int kVisits = 16;  // between two looks at the clock

}  // namespace

void StreamGroup::Accept() { Stream::Accept(commons_); }

bool StreamGroup::HandleInput(absl::Duration at_most) {
  const session::Clock& clock = commons_.host.clock;
  // Items that the shard did not admit are offered again, a few streams a round.
  for (int i = 0; i < kVisits && !commons_.waiting.empty(); ++i) {
    Stream* stream = commons_.waiting.Take(clock.NowNanos());
    if (stream == nullptr) break;
    stream->OnOffered();
  }
  StreamLine& line = commons_.with_items;
  if (line.empty()) return false;
  const int64_t deadline = clock.NowNanos() + absl::ToInt64Nanoseconds(at_most);
  bool any = false;
  do {
    if (Stream* stream = line.Next(); stream != nullptr) any |= stream->HandleItems();
  } while (!line.empty() && clock.NowNanos() < deadline);
  return any;
}

void StreamGroup::Flush(absl::Duration at_most) {
  StreamLine& line = commons_.to_flush;
  if (line.empty()) return;
  const session::Clock& clock = commons_.host.clock;
  const int64_t deadline = clock.NowNanos() + absl::ToInt64Nanoseconds(at_most);
  for (size_t left = line.size(); left > 0; --left) {
    if (Stream* stream = line.Next(); stream != nullptr) stream->Flush();
    if (left % kVisits == 0 && clock.NowNanos() > deadline) return;
  }
}

std::vector<StreamInfo> StreamGroup::Describe(uint64_t after, size_t most) const {
  const absl::Time now = commons_.host.clock.Now();
  const StreamTable::Streams& streams = commons_.table.streams();
  std::vector<StreamInfo> infos;
  for (auto next = streams.upper_bound(after); next != streams.end() && infos.size() < most; ++next) {
    infos.push_back(next->second->Describe(now));
  }
  return infos;
}

void StreamGroup::Drain(absl::Duration deadline) {
  commons_.phase = StreamCommons::Phase::kDraining;
  for (const auto& [number, stream] : commons_.table.streams()) stream->Drain(deadline);
}

void StreamGroup::Close() {
  for (const auto& [number, stream] : commons_.table.streams()) stream->End(GoneStatus());
}

void StreamGroup::Cancel() {
  for (const auto& [number, stream] : commons_.table.streams()) stream->Cancel();
}

}  // namespace aaren::rpc
