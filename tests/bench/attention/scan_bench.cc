// The fused scan, forward and with its backward, against further ways to the same outputs (scan_baselines.h).
//
// Independent streams of one head each: enough to make the values alone 400 MB on a CPU, more than the last-level cache
// holds (the outputs may be written past the cache), and at least one a thread. Everything in one row is timed in
// turns, best run; the ratios are baseline over fused, per stream. Baselines run on fewer streams, with their time
// scaled to the streams of the fused scan: fewer streams stay in cache, which flatters baselines. The allocator keeps
// memory between runs: no run pays for page faults.

#include <malloc.h>
#include <torch/cuda.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include "model/attention/scan/cuda/torch_cuda.h"
#include "model/attention/scan/scan.h"
#include "tests/bench/attention/memory_copy.h"
#include "tests/bench/attention/scan_baselines.h"
#include "tests/bench/bench.h"
#include "tests/bench/turns.h"

namespace aaren::bench {

const char kScanNote[] =
    R"(ratios: seconds of the baseline over seconds of the fused scan for as many streams; baselines run on fewer and are
scaled. copy_share: bytes of values and outputs a second over those of the best of three copies of as much memory on as
many threads. Causal attention is not run backwards beyond 4,096 tokens.)";

namespace {

constexpr int64_t kLengths[] = {64, 256, 1024, 4096, 16384, 65536};
constexpr int64_t kWidths[] = {16, 64, 128};
constexpr int64_t kLongest = 65536, kWidest = 128, kNarrowest = 16;
constexpr int64_t kLongestSdpaBackward = 4096;
constexpr double kSdpaOperations = 2e10;

// How much work a device gets: elements of the values of the fused scan and of a baseline.
struct Size {
  int64_t elements, baseline_elements;
};
constexpr Size kCpuSize{96 << 20, 4 << 20}, kCudaSize{256 << 20, 32 << 20};

struct Case {
  torch::Device device;
  Size size;
  int64_t tokens, width;
  int threads;

  int64_t per_stream() const { return tokens * width; }
  // At least one stream a thread, and equally many for each thread.
  int64_t Streams() const {
    const int64_t each = (size.elements / per_stream() + threads - 1) / threads;
    return std::max<int64_t>(each, 1) * threads;
  }
  int64_t BaselineStreams() const { return std::max<int64_t>(size.baseline_elements / per_stream(), 1); }
  // Fewer streams where the quadratic cost would take long.
  int64_t SdpaStreams() const {
    const double operations = 2.0 * static_cast<double>(tokens) * static_cast<double>(per_stream());
    return std::max<int64_t>(std::min(BaselineStreams(), static_cast<int64_t>(kSdpaOperations / operations)), 1);
  }
};

// The tensors of every case are views of these buffers.
struct Buffers {
  Buffers(torch::Device device, const Size& size, int threads) {
    const torch::TensorOptions options = torch::TensorOptions(device).dtype(torch::kFloat32);
    const int64_t elements = std::max(size.elements, kLongest * kWidest) + threads * kLongest * kWidest;
    scores = torch::randn({elements / kNarrowest}, options);
    values = torch::randn({elements}, options);
    gradients = torch::randn({elements}, options);
    copy = torch::zeros({elements}, options);
    query = torch::randn({kWidest}, options);
    torch::zeros({4 * elements}, options);  // freed at once: memory for the allocations of the first runs
  }

  torch::Tensor scores, values, gradients, copy, query;
};

torch::Tensor Take(const torch::Tensor& buffer, at::IntArrayRef shape) {
  return buffer.narrow(0, 0, c10::multiply_integers(shape)).view(shape).detach();
}

struct Inputs {
  Inputs(const Buffers& buffers, const Case& c, int64_t streams, bool requires_gradients)
      : streams(streams),
        scores(Take(buffers.scores, {streams, c.tokens}).requires_grad_(requires_gradients)),
        values(Take(buffers.values, {streams, c.tokens, c.width}).requires_grad_(requires_gradients)),
        keys(Take(buffers.gradients, {streams, c.tokens, c.width}).requires_grad_(requires_gradients)),
        gradients(Take(buffers.gradients, {streams, c.tokens, c.width})) {}

  int64_t streams;
  torch::Tensor scores, values, keys, gradients;
  torch::Tensor queries;  // for causal attention only
};

// One way to the outputs [streams, tokens, width].
using Form = torch::Tensor (*)(const Inputs&);

torch::Tensor Fused(const Inputs& x) { return attention::ScanAttention(x.scores, x.values).value(); }
torch::Tensor HillisSteele(const Inputs& x) { return HillisSteeleAttention(x.scores, x.values); }
torch::Tensor Cumulative(const Inputs& x) { return CumulativeAttention(x.scores, x.values); }
torch::Tensor Sdpa(const Inputs& x) { return CausalAttention(x.queries, x.keys, x.values); }

void Finish(const torch::Tensor& x) {
  if (x.is_cuda()) torch::cuda::synchronize();
}

torch::autograd::variable_list Gradients(const Inputs& x, const torch::Tensor& outputs, bool retain_graph) {
  return torch::autograd::grad({outputs}, {x.scores, x.keys, x.values}, {x.gradients}, retain_graph,
                               /*create_graph=*/false, /*allow_unused=*/true);
}

std::function<void()> Forward(Form form, const Inputs& x) {
  return [form, x] {
    c10::InferenceMode guard;
    Finish(form(x));
  };
}

std::function<void()> ForwardAndBackward(Form form, const Inputs& x) {
  return [form, x] {
    Gradients(x, form(x), /*retain_graph=*/false);
    Finish(x.values);
  };
}

// The backward alone, of outputs computed before.
std::function<void()> Backward(Form form, const Inputs& x) {
  return [x, outputs = form(x)] {
    Gradients(x, outputs, /*retain_graph=*/true);
    Finish(x.values);
  };
}

// Baselines beside the fused scan, each with its own streams.
struct Contest {
  Contest(const Buffers& buffers, const Case& c, bool requires_gradients)
      : fused(buffers, c, c.Streams(), requires_gradients),
        baseline(buffers, c, c.BaselineStreams(), requires_gradients),
        sdpa(buffers, c, c.SdpaStreams(), requires_gradients) {
    sdpa.queries = buffers.query.narrow(0, 0, c.width).expand_as(sdpa.keys).contiguous();
  }

  // Baseline over fused, both per stream.
  double Ratio(double seconds, const Inputs& x, double fused_seconds) const {
    return seconds / static_cast<double>(x.streams) / (fused_seconds / static_cast<double>(fused.streams));
  }

  Inputs fused, baseline, sdpa;
};

Row ToRow(const Case& c, const char* pass, double seconds) {
  return {{"device", std::string(c.device.is_cuda() ? "cuda" : "cpu")},
          {"n", c.tokens},
          {"head_dim", c.width},
          {"threads", int64_t{c.threads}},
          {"pass", std::string(pass)},
          {"seconds", seconds}};
}

Row MeasureForward(const Buffers& buffers, const Case& c) {
  const Contest contest(buffers, c, /*requires_gradients=*/false);
  const torch::Tensor& from = contest.fused.values;
  torch::Tensor to = Take(buffers.copy, from.sizes());
  std::vector<std::function<void()>> work = {Forward(Fused, contest.fused), Forward(HillisSteele, contest.baseline),
                                             Forward(Cumulative, contest.baseline), Forward(Sdpa, contest.sdpa), [&] {
                                               to.copy_(from);
                                               Finish(to);
                                             }};
  if (c.device.is_cpu()) {
    for (const auto copy : {CopyInStretches, StreamInStretches}) {
      work.emplace_back([&, copy] { copy(from.const_data_ptr<float>(), to.mutable_data_ptr<float>(), from.numel()); });
    }
  }
  const std::vector<double> seconds = TimeInTurns(work);
  const double copy = *std::min_element(seconds.begin() + 4, seconds.end());
  Row row = ToRow(c, "forward", seconds[0]);
  row.insert(row.end(), {{"hillis_steele_ratio", contest.Ratio(seconds[1], contest.baseline, seconds[0])},
                         {"torch_ops_ratio", contest.Ratio(seconds[2], contest.baseline, seconds[0])},
                         {"sdpa_ratio", contest.Ratio(seconds[3], contest.sdpa, seconds[0])},
                         {"copy_share", copy / seconds[0]},
                         {"backward_over_forward", std::monostate()}});
  return row;
}

Row MeasureBackward(const Buffers& buffers, const Case& c) {
  const Contest contest(buffers, c, /*requires_gradients=*/true);
  std::vector<std::function<void()>> work = {
      ForwardAndBackward(Fused, contest.fused), ForwardAndBackward(HillisSteele, contest.baseline),
      ForwardAndBackward(Cumulative, contest.baseline), Forward(Fused, contest.fused), Backward(Fused, contest.fused)};
  if (c.tokens <= kLongestSdpaBackward) work.push_back(ForwardAndBackward(Sdpa, contest.sdpa));
  const std::vector<double> seconds = TimeInTurns(work);
  Cell sdpa = std::monostate();
  if (seconds.size() == 6) sdpa = contest.Ratio(seconds[5], contest.sdpa, seconds[0]);
  Row row = ToRow(c, "forward+backward", seconds[0]);
  row.insert(row.end(), {{"hillis_steele_ratio", contest.Ratio(seconds[1], contest.baseline, seconds[0])},
                         {"torch_ops_ratio", contest.Ratio(seconds[2], contest.baseline, seconds[0])},
                         {"sdpa_ratio", sdpa},
                         {"copy_share", std::monostate()},
                         {"backward_over_forward", seconds[4] / seconds[3]}});
  return row;
}

void MeasureDevice(torch::Device device, const Size& size, const std::vector<int>& threads, std::vector<Row>& rows) {
  const Buffers buffers(device, size, threads.back());
  for (const int count : threads) {
    at::set_num_threads(count);
    for (const int64_t width : kWidths) {
      for (const int64_t tokens : kLengths) {
        const Case c{device, size, tokens, width, count};
        rows.push_back(MeasureForward(buffers, c));
        rows.push_back(MeasureBackward(buffers, c));
      }
    }
  }
}

// Memory once taken from the system is neither given back nor mapped anew.
void KeepMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

bool HasKernels(torch::Device device) {
  const absl::Status status =
      attention::ScanAttention(torch::zeros({1, 1}, device), torch::zeros({1, 1, 1}, device)).status();
  if (!status.ok())
    std::fprintf(stderr, "aaren-bench: no rows for %s: %s\n", device.str().c_str(), status.ToString().c_str());
  return status.ok();
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunScanBench() {
  KeepMemory();
  const absl::Status cuda = attention::LoadTorchCuda();  // before anything else of torch
  torch::manual_seed(1);
  std::vector<int> threads = {1};
  if (at::get_num_threads() > 1) threads.push_back(at::get_num_threads());
  std::vector<Row> rows;
  MeasureDevice(torch::kCPU, kCpuSize, threads, rows);
  if (!cuda.ok()) std::fprintf(stderr, "aaren-bench: no rows for a GPU: %s\n", std::string(cuda.message()).c_str());
  if (cuda.ok() && HasKernels(torch::kCUDA)) MeasureDevice(torch::kCUDA, kCudaSize, {1}, rows);
  return rows;
}

}  // namespace aaren::bench
