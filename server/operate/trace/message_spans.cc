#include "server/operate/trace/message_spans.h"

#include <algorithm>

namespace aaren::trace {
namespace {

int64_t Number(uint64_t number) { return static_cast<int64_t>(number); }

Span& AddChild(const MessageNotes& notes, const char* name, int64_t begin_ns, int64_t end_ns, Sampler& ids,
               std::vector<Span>& spans) {
  Span& span = spans.emplace_back();
  span.name = name;
  span.context = {notes.context.trace, ids.NewSpan()};
  span.parent = notes.context.span;
  span.begin_ns = begin_ns;
  span.end_ns = end_ns;
  return span;
}

Span RootOf(const MessageNotes& notes) {
  Span root;
  root.name = "message";
  root.kind = Span::Kind::kServer;
  root.context = notes.context;
  root.begin_ns = notes.began_ns;
  root.error = notes.error;
  if (notes.link) root.links.push_back(*notes.link);
  root.attributes = {{"rpc.system", std::string("grpc")},          {"rpc.service", std::string("aaren.v1.Streaming")},
                     {"rpc.method", std::string("Stream")},        {"aaren.shard", int64_t{notes.shard}},
                     {"aaren.message_bytes", Number(notes.bytes)}, {"aaren.items", Number(notes.items)},
                     {"aaren.sessions", Number(notes.sessions)},   {"aaren.tokens", Number(notes.tokens)},
                     {"aaren.steps", Number(notes.step_count)}};
  if (!notes.tenant.empty()) root.attributes.emplace_back("aaren.tenant", notes.tenant);
  return root;
}

// Each step follows its wait. Batches of two models in one step have equal times.
void AddSteps(const MessageNotes& notes, Sampler& ids, std::vector<Span>& spans) {
  int64_t since_ns = notes.read_ns;
  for (const StepNote& step : notes.steps) {
    if (since_ns != 0 && step.began_ns > since_ns) AddChild(notes, "queue", since_ns, step.began_ns, ids, spans);
    Span& span = AddChild(notes, "step", step.began_ns, step.ended_ns, ids, spans);
    span.attributes = {{"aaren.model", step.model},
                       {"aaren.batch_tokens", int64_t{step.batch_tokens}},
                       {"aaren.tokens", Number(step.tokens)}};
    since_ns = std::max(since_ns, step.ended_ns);
  }
}

}  // namespace

std::vector<Span> ToSpans(const MessageNotes& notes, int64_t wall_ns, Sampler& ids) {
  std::vector<Span> spans;
  spans.reserve(4 + 2 * notes.steps.size());
  spans.push_back(RootOf(notes));
  if (notes.read_ns != 0) AddChild(notes, "read", notes.began_ns, notes.read_ns, ids, spans);
  AddSteps(notes, ids, spans);
  if (notes.written_ns != 0) AddChild(notes, "write", notes.ready_ns, notes.written_ns, ids, spans);
  // The message ends with the last of its children.
  for (const Span& span : spans) spans.front().end_ns = std::max(spans.front().end_ns, span.end_ns);
  // A message without children, refused as a whole, ends when the refusal stood in the outbox.
  spans.front().end_ns = std::max({spans.front().end_ns, notes.began_ns, notes.ready_ns});
  for (Span& span : spans) {
    span.begin_ns += wall_ns;
    span.end_ns += wall_ns;
  }
  return spans;
}

}  // namespace aaren::trace
