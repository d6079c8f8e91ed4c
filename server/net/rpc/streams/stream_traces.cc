#include "server/net/rpc/streams/stream_traces.h"

#include <iterator>

#include "absl/status/status.h"
#include "server/operate/trace/traceparent.h"

namespace aaren::rpc {
namespace {

// Several headers contradict each other: none counts.
std::optional<trace::SpanContext> LinkOf(const grpc::ServerContext& call) {
  const auto [begin, end] = call.client_metadata().equal_range("traceparent");
  if (begin == end || std::next(begin) != end) return std::nullopt;
  return trace::ParseTraceparent({begin->second.data(), begin->second.size()});
}

}  // namespace

StreamTraces::StreamTraces(trace::Tracer& tracer, const grpc::ServerContext& call, std::string tenant,
                           std::function<size_t()> unread)
    : tracer_(tracer), tenant_(std::move(tenant)), link_(LinkOf(call)), unread_(std::move(unread)) {}

void StreamTraces::EndReading() {
  if (const trace::Mark mark = std::exchange(current_, 0); mark != 0) tracer_.EndReading(mark);
}

std::string StreamTraces::CurrentId() const { return current_ != 0 ? trace::Hex(tracer_.IdOf(current_)) : ""; }

void StreamTraces::NoteRefused(const session::Refusal& refusal) {
  if (current_ != 0) tracer_.NoteError(current_, absl::StatusCodeToString(refusal.status.code()));
}

void StreamTraces::OnAnswered(trace::Mark mark) {
  const size_t unread = unread_();
  if (unread == 0) return tracer_.End(mark, /*written=*/false);
  answered_.emplace_back(taken_ + unread, mark);
}

void StreamTraces::OnTaken(size_t bytes) {
  taken_ += bytes;
  while (!answered_.empty() && answered_.front().first <= taken_) {
    const trace::Mark mark = answered_.front().second;
    answered_.pop_front();
    tracer_.End(mark, /*written=*/true);
  }
}

}  // namespace aaren::rpc
