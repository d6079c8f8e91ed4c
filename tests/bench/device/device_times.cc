#include "tests/bench/device/device_times.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace aaren::bench {
namespace {

using engine::DeviceTable;
using engine::ForwardCall;
using engine::StreamPlan;
using engine::StreamStep;

std::mutex mutex;  // engines call from many threads
struct Last {
  const DeviceTable* device = nullptr;
  unsigned forms = ~0u;
  ForwardCall call;
  StreamPlan plan = {};
};
Last last;

double Microseconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count();
}

const char* Again(void* queue) {
  return last.plan.tokens == 0 ? last.device->forward(queue, &last.call)
                               : last.device->forward_streamed(queue, &last.call, &last.plan);
}

absl::Status StatusOf(const char* error) { return error == nullptr ? absl::OkStatus() : absl::InternalError(error); }

const char* Facts(engine::DeviceFacts* facts) {
  if (const char* error = last.device->facts(facts)) return error;
  for (int form = 0; form < engine::kStreamFormCount; ++form) {
    if ((last.forms >> form & 1) == 0) facts->clusters[form] = 0;
  }
  return nullptr;
}

const char* Forward(void* queue, const ForwardCall* call) {
  {
    const std::lock_guard lock(mutex);
    last.call = *call;
    last.plan = {};
  }
  return last.device->forward(queue, call);
}

const char* ForwardStreamed(void* queue, const ForwardCall* call, const StreamPlan* plan) {
  {
    const std::lock_guard lock(mutex);
    last.call = *call;
    last.plan = *plan;
  }
  return last.device->forward_streamed(queue, call, plan);
}

// Queues, closed by the destructor.
class Queues {
 public:
  explicit Queues(int count) : queues_(static_cast<size_t>(count), nullptr) {
    for (void*& queue : queues_) Note(last.device->open_queue(&queue));
  }
  ~Queues() {
    for (void* queue : queues_) {
      if (queue != nullptr) last.device->close_queue(queue);
    }
  }

  // Microseconds of a call.
  absl::StatusOr<double> Time(int calls) {
    const double begin = Microseconds();
    for (int i = 0; i < calls; ++i) {
      for (void* queue : queues_) Note(Again(queue));
    }
    for (void* queue : queues_) Note(last.device->wait(queue));
    if (!status_.ok()) return status_;
    return (Microseconds() - begin) / calls / static_cast<double>(queues_.size());
  }

 private:
  void Note(const char* error) {
    if (status_.ok()) status_ = StatusOf(error);
  }

  std::vector<void*> queues_;
  absl::Status status_;
};

absl::StatusOr<double> Timed(int queues, int calls) {
  Queues all(queues);
  if (absl::Status status = all.Time(1).status(); !status.ok()) return status;
  return all.Time(calls);
}

}  // namespace

const DeviceTable& DeviceTimes::TableOf(const DeviceTable& device, unsigned forms) {
  static DeviceTable table;
  table = device;
  table.facts = Facts;
  table.forward = Forward;
  table.forward_streamed = ForwardStreamed;
  last.device = &device;
  last.forms = forms;
  return table;
}

absl::StatusOr<double> DeviceTimes::Chained(int calls) { return Timed(1, calls); }
absl::StatusOr<double> DeviceTimes::Together(int queues, int calls) { return Timed(queues, calls); }
uint32_t DeviceTimes::tokens() { return last.call.token_count; }

std::string DeviceTimes::Kernel() {
  if (last.plan.tokens == 0) return absl::StrCat("plain ", last.call.tile_tokens);
  return absl::StrCat(last.plan.tokens, "x", last.plan.cluster);
}

absl::StatusOr<std::string> DeviceTimes::Cycles() {
  constexpr const char* kKinds[] = {"products", "norms", "weigh", "turn", "head", "spread", "write"};
  if (last.plan.tokens == 0) return std::string();
  const auto count = static_cast<size_t>(last.plan.count);
  std::vector<StreamStep> steps(count);
  std::vector<int64_t> cycles(count + 2);
  void *queue, *memory;
  if (const char* error = last.device->allocate(cycles.size() * sizeof(int64_t), &memory)) return StatusOf(error);
  if (const char* error = last.device->open_queue(&queue)) return StatusOf(error);
  last.plan.cycles = static_cast<int64_t*>(memory);
  absl::Status status;
  for (const char* error : {Again(queue), Again(queue)}) status.Update(StatusOf(error));
  status.Update(StatusOf(last.device->copy_out(queue, cycles.data(), memory, cycles.size() * sizeof(int64_t))));
  status.Update(StatusOf(last.device->copy_out(queue, steps.data(), last.plan.steps, count * sizeof(StreamStep))));
  status.Update(StatusOf(last.device->wait(queue)));
  last.plan.cycles = nullptr;
  last.device->close_queue(queue);
  last.device->release(memory);
  if (!status.ok()) return status;
  std::array<int64_t, std::size(kKinds)> kinds = {};
  for (size_t i = 0; i < count; ++i) kinds[static_cast<size_t>(steps[i].kind)] += cycles[i + 2] - cycles[i + 1];
  std::string words = absl::StrCat("all ", cycles.back() - cycles.front(), ", load ", cycles[1] - cycles[0]);
  for (size_t kind = 0; kind < kinds.size(); ++kind) absl::StrAppend(&words, ", ", kKinds[kind], " ", kinds[kind]);
  absl::StrAppend(&words, "; by instruction");
  for (size_t i = 0; i < count; ++i) {
    if (steps[i].kind != StreamStep::kProduct) continue;
    absl::StrAppend(&words, " ", steps[i].instruction, ":", cycles[i + 2] - cycles[i + 1]);
  }
  return words;
}

}  // namespace aaren::bench
