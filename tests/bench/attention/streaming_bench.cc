// Ten thousand tokens, singly, through stacks with different mixers and nothing else different: the paper's Figure 5
// (§4.5). The paper gives no range, batch or depth for the figure.
//
// A single sequence and thread, no gradients, the same random tokens for all stacks. The stacks take turns between two
// recorded numbers of tokens: a machine slow for a while slows all stacks down.

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "model/paper/nn/stack.h"
#include "tests/bench/attention/growth.h"
#include "tests/bench/bench.h"

namespace aaren::bench {

const char kStreamingNote[] =
    R"(one sequence, one thread. state_bytes: all tensors of the state, room kept for growth included. Exponents: slopes of
log bytes and log seconds over log tokens in the last decade of tokens. "recomputed" is the Transformer without a cache:
its state is its inputs, and it stops at 64 tokens, since a stack of L blocks takes of the order of tokens^(L+1) time.)";

namespace {

constexpr int64_t kTokens = 10'000;
constexpr int kPointsPerDecade = 10;
constexpr int kPasses = 3;

struct Shape {
  int64_t width, heads, blocks;
};
constexpr Shape kShapes[] = {{512, 4, 1}, {128, 4, 3}};

struct Entrant {
  nn::MixerKind kind;
  const char* name;
  int64_t tokens;  // the end of the run
  int passes;
};
constexpr Entrant kEntrants[] = {{nn::MixerKind::kAaren, "aaren", kTokens, kPasses},
                                 {nn::MixerKind::kSoftmax, "transformer (kv cache)", kTokens, kPasses},
                                 {nn::MixerKind::kLinear, "linear", kTokens, kPasses},
                                 {nn::MixerKind::kRecomputed, "recomputed", 64, 1}};

// 1 .. 10,000, evenly spaced on a logarithmic scale; also where the shorter of the entrants end.
std::vector<int64_t> RecordedTokens() {
  std::vector<int64_t> tokens;
  for (int i = 0; tokens.empty() || tokens.back() < kTokens; ++i) {
    const auto next = static_cast<int64_t>(std::lround(std::pow(10.0, static_cast<double>(i) / kPointsPerDecade)));
    if (tokens.empty() || next > tokens.back()) tokens.push_back(next);
  }
  for (const Entrant& entrant : kEntrants) tokens.push_back(entrant.tokens);
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

// A stack with a sequence and records.
class MeasuredStack {
 public:
  static absl::StatusOr<MeasuredStack> Make(const Entrant& entrant, const Shape& shape) {
    absl::StatusOr<nn::Stack> stack =
        nn::MakeStack(nn::StackOptions(nn::MixerOptions(entrant.kind, shape.width, shape.heads), shape.blocks));
    if (!stack.ok()) return stack.status();
    return MeasuredStack(entrant, shape, *std::move(stack));
  }

  bool TakesPart(int pass, int64_t tokens) const { return pass < entrant_.passes && tokens <= entrant_.tokens; }

  void Restart() {
    state_ = stack_->Start(/*batch=*/1);
    tokens_ = 0;
  }

  // Goes on until `tokens` tokens in all, and records the point.
  absl::Status Advance(const std::vector<torch::Tensor>& inputs, int64_t tokens) {
    const auto start = std::chrono::steady_clock::now();
    for (; tokens_ < tokens; ++tokens_) {
      const absl::Status status = stack_->Step(state_, inputs[tokens_ % inputs.size()]).status();
      if (!status.ok()) return status;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Sample& sample = samples_.try_emplace(tokens, Sample{state_.bytes(), seconds}).first->second;
    sample.seconds = std::min(sample.seconds, seconds);
    return absl::OkStatus();
  }

  void AddRows(std::vector<Row>& samples, std::vector<Row>& fits) const {
    std::vector<GrowthPoint> memory, time;
    double seconds = 0;
    for (const auto& [tokens, sample] : samples_) {
      seconds += sample.seconds;
      memory.push_back({static_cast<double>(tokens), static_cast<double>(sample.bytes)});
      time.push_back({static_cast<double>(tokens), seconds});
      samples.push_back({{"mixer", std::string(entrant_.name)},
                         {"width", shape_.width},
                         {"tokens", tokens},
                         {"state_bytes", sample.bytes},
                         {"cumulative_seconds", seconds}});
    }
    fits.push_back({{"mixer", std::string(entrant_.name)},
                    {"width", shape_.width},
                    {"heads", shape_.heads},
                    {"blocks", shape_.blocks},
                    {"memory_exponent", GrowthExponent(memory)},
                    {"time_exponent", GrowthExponent(time)}});
  }

 private:
  struct Sample {
    int64_t bytes;
    double seconds;  // since the sample before; of the best pass
  };

  MeasuredStack(const Entrant& entrant, const Shape& shape, nn::Stack stack)
      : entrant_(entrant), shape_(shape), stack_(std::move(stack)) {}

  Entrant entrant_;
  Shape shape_;
  nn::Stack stack_;
  nn::StackState state_;
  int64_t tokens_ = 0;
  std::map<int64_t, Sample> samples_;
};

absl::Status RunPass(int pass, const std::vector<torch::Tensor>& inputs, std::vector<MeasuredStack>& stacks) {
  for (MeasuredStack& stack : stacks) stack.Restart();
  for (const int64_t tokens : RecordedTokens()) {
    for (MeasuredStack& stack : stacks) {
      if (!stack.TakesPart(pass, tokens)) continue;
      if (absl::Status status = stack.Advance(inputs, tokens); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status Run(const Shape& shape, std::vector<Row>& samples, std::vector<Row>& fits) {
  const std::vector<torch::Tensor> inputs = torch::randn({1000, shape.width}).split(1);  // read in turn
  std::vector<MeasuredStack> stacks;
  for (const Entrant& entrant : kEntrants) {
    absl::StatusOr<MeasuredStack> stack = MeasuredStack::Make(entrant, shape);
    if (!stack.ok()) return stack.status();
    stacks.push_back(*std::move(stack));
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    if (absl::Status status = RunPass(pass, inputs, stacks); !status.ok()) return status;
  }
  for (const MeasuredStack& stack : stacks) stack.AddRows(samples, fits);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunStreamingBench() {
  const c10::InferenceMode guard;
  at::set_num_threads(1);
  torch::manual_seed(1);
  std::vector<Row> samples, fits;
  for (const Shape& shape : kShapes) {
    if (absl::Status status = Run(shape, samples, fits); !status.ok()) return status;
  }
  samples.insert(samples.end(), fits.begin(), fits.end());
  return samples;
}

}  // namespace aaren::bench
