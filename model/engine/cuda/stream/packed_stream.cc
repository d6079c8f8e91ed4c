#include "model/engine/cuda/stream/packed_stream.h"

#include <algorithm>
#include <cstring>

#include "model/engine/cuda/stream/product_split.h"

namespace aaren::engine {
namespace {

constexpr size_t kPackedAlignment = 256;
constexpr int kDepthUnit = 32;  // the depths of any shape's block divide it
constexpr uint16_t kMinusZero = 0x8000;

int16_t Short(int number) { return static_cast<int16_t>(number); }
int32_t RoundUp(int32_t number, int32_t unit) { return (number + unit - 1) / unit * unit; }

// Most bytes of a chunk's weights, and of the biases behind the last chunk.
struct ChunkSizes {
  int weights, biases;
};
ChunkSizes ChunksOf(StreamForm form) {
  if (form.blocks >= 8) return {8192, 512};
  return {form.tokens == 32 ? 8192 : 16384, 2048};
}

// Goes through a program's instructions in the order of network_image.cc.
class Packer {
 public:
  Packer(const NetworkImage& image, StreamForm form, uint64_t shared_bytes, PackedStream& to)
      : image_(image.bytes.data()),
        program_(image.program),
        instructions_(reinterpret_cast<const Instruction*>(image_ + image.program.instructions)),
        form_(form),
        chunk_(ChunksOf(form)),
        shared_bytes_(shared_bytes),
        to_(to),
        plan_(to.plan),
        streams_(static_cast<size_t>(form.blocks)) {}

  // Null, or the reason why the network cannot be streamed.
  const char* Run();

  const std::vector<std::vector<std::byte>>& streams() const { return streams_; }
  const std::vector<float>& gains() const { return gains_; }

 private:
  // A product of the step in hand, and the lines of its input and output.
  struct Product {
    int instruction, from, to;
    bool remote;
  };

  const Instruction& At(int i) const { return instructions_[i]; }
  const char* Check() const;
  const char* CheckProducts() const;
  bool Divides(int number) const { return number % form_.blocks == 0; }
  void FindParts();
  void LayOut();
  StreamStep& Add(StreamStep::Kind kind, StreamStep::Meeting meeting);
  void Normalize(int i);
  void Attend(int weigh);
  void Layer(int first, bool last);
  void Head(int norm);
  void Multiply(const std::vector<Product>& products);
  void AddProduct(const Product& product, const ProductPart& part, bool last, int scratch, int named);
  void PutWeights(const ProductPart& part, StreamStep& step);
  void PutChunk(const ProductPart& part, const StreamStep& step, int rank, int begin, int end);
  void PutBiases(const ProductPart& part, const StreamStep& step, int rank);
  int Column(const ProductPart& part, const Instruction& it, int rank, int thread, int q) const;
  const char* TakeSlots();

  const std::byte* image_;
  const Program& program_;
  const Instruction* instructions_;
  const StreamForm form_;
  const ChunkSizes chunk_;
  const uint64_t shared_bytes_;
  PackedStream& to_;
  StreamPlan& plan_;
  std::vector<std::vector<std::byte>> streams_;
  std::vector<float> gains_;
  int skip_ = 0, head_ = 0;  // instructions
  const char* refusal_ = nullptr;
};

const char* Packer::Check() const {
  if (program_.input_width > kStreamInputs) return "it has more than 256 inputs";
  if (program_.value_width % kDepthUnit != 0 || program_.value_width > 256) return "its values are of another width";
  if (!Divides(program_.value_width / 2) || !Divides(program_.horizon)) return "its numbers do not divide among blocks";
  const int pairs = program_.value_width / 2 / form_.blocks;
  if (form_.blocks >= 4 && form_.tokens * pairs > kStreamWorkers) return "a block has too many values";
  if (form_.blocks > 1 && form_.tokens * program_.heads > kStreamWorkers) return "a block has too many heads";
  if (program_.knots > 0 && program_.residual_width > kStreamSources * kStreamResiduals) return "too many residuals";
  const bool unpadded = At(head_).width == program_.horizon * program_.levels && At(skip_).width == program_.horizon;
  if (form_.blocks > 1 && !unpadded) return "its forecasts do not divide among blocks";
  return CheckProducts();
}

const char* Packer::CheckProducts() const {
  for (int i = 0; i < program_.count; ++i) {
    const Instruction& it = At(i);
    if (it.kind == Instruction::kNormalize && (it.depth != kStreamWidth || it.width != kStreamWidth)) {
      return "its width is not 128";
    }
    if (it.kind != Instruction::kMultiply) continue;
    if (it.halved == 0) return "its weights are no bfloat16";
    const bool padded = i <= 2 || i >= skip_;  // with zeros
    const bool whole = it.depth == 256 || (it.depth <= 128 && it.depth % kDepthUnit == 0);
    if (!padded && !whole) return "a product is of another depth";
    if (!Divides(it.then == Instruction::kGate ? it.width / 2 : it.width)) return "outputs do not divide among blocks";
  }
  return nullptr;
}

// The skip is the product after the input's second coming; the head is after the last norm.
void Packer::FindParts() {
  for (int i = 1; i < program_.count; ++i) {
    if (At(i).kind == Instruction::kLoadInput) skip_ = i + 1;
    if (At(i).kind == Instruction::kNormalize) head_ = i + 1;
  }
}

// Buffers of different times share lines: the head's lie on top of a layer's.
void Packer::LayOut() {
  // The numbers follow the order of network_image.cc: 2 is the embedding's gated product, 5 a layer's scores, values
  // and gates, and head_ - 3 the last layer's gated product.
  const int wide = At(head_).width, scores = At(5).width;
  const int hidden = std::max(At(2).width / 2, std::max(program_.value_width, At(head_ - 3).width / 2));
  const int skip = At(skip_).width, logits = program_.knots > 0 ? At(head_ + 1).width : 0;
  const int correction = program_.knots > 0 ? program_.correction_lines : 0;
  plan_.x = 0;
  plan_.in = kStreamWidth;
  plan_.residuals = plan_.in + kStreamWidth;
  plan_.wide = plan_.in + kStreamInputs;
  plan_.hidden = plan_.wide + scores;
  int end = plan_.wide + wide;
  plan_.logits = end;
  end += logits;
  for (int source = 0; source < kStreamSources; ++source) {  // over x, which the head does not read
    const bool fits = (source + 1) * correction <= kStreamWidth;
    plan_.corrections[source] = fits ? plan_.x + source * correction : end;
    if (!fits) end += correction;
  }
  plan_.skip = std::max(end, plan_.hidden + hidden);
  plan_.lines = plan_.skip + skip;
}

StreamStep& Packer::Add(StreamStep::Kind kind, StreamStep::Meeting meeting) {
  to_.steps.emplace_back();
  to_.steps.back().kind = kind;
  to_.steps.back().meeting = meeting;
  return to_.steps.back();
}

void Packer::Normalize(int i) {
  StreamStep& step = Add(StreamStep::kNorm, StreamStep::kBlock);
  step.instruction = Short(i);
  step.norm = Short(plan_.norms++);
  const auto* gain = reinterpret_cast<const float*>(image_ + At(i).weights);
  gains_.insert(gains_.end(), gain, gain + kStreamWidth);
}

void Packer::Attend(int weigh) {
  const Instruction& scores = At(weigh);
  const Instruction& turn = At(weigh + 1);
  // Clusters of four and more blocks weigh heads within the turn (fold.h).
  if (form_.blocks < 4) {
    StreamStep& step = Add(StreamStep::kWeigh, StreamStep::kBlock);
    step.instruction = Short(weigh);
    step.layer = Short(scores.layer);
    step.decay = scores.decay;
  }
  StreamStep& step = Add(StreamStep::kTurn, StreamStep::kCluster);
  const int wide = At(weigh - 1).to;
  step.instruction = Short(weigh + 1);
  step.from = Short(plan_.wide + turn.from - wide);
  step.gate = Short(plan_.wide + turn.gate - wide);
  step.to = Short(plan_.hidden);
  step.layer = Short(turn.layer);
  step.decay = scores.decay, step.cosine = turn.cosine, step.sine = turn.sine;
  step.exchanged = Short(program_.value_width * form_.tokens * 4 / 16);
}

// norm, scores and values and gates, weigh, turn, [stop], output, norm, gates and ups, down
void Packer::Layer(int first, bool last) {
  Normalize(first);
  Multiply({{first + 1, plan_.in, plan_.wide, true}});
  Attend(first + 2);
  to_.steps.back().last = last;
  const int output = first + (last ? 5 : 4);
  Multiply({{output, plan_.hidden, plan_.x, true}});
  Normalize(output + 1);
  Multiply({{output + 2, plan_.in, plan_.hidden, true}});
  Multiply({{output + 3, plan_.hidden, plan_.x, true}});
}

// A step ahead is one block's, so the others do not need its numbers. The knots' numbers go to all blocks.
void Packer::Head(int norm) {
  Normalize(norm);
  std::vector<Product> products = {{head_, plan_.in, plan_.wide, false}};
  if (program_.knots > 0) {
    products.push_back({head_ + 1, plan_.in, plan_.logits, true});
    for (int source = 0; source < kStreamSources; ++source) {
      products.push_back(
          {skip_ + 3 + source, plan_.residuals + source * kStreamResiduals, plan_.corrections[source], false});
    }
  }
  Multiply(products);
  Add(StreamStep::kHead, StreamStep::kBlock);
  Add(StreamStep::kSpread, StreamStep::kBlock);
  Add(StreamStep::kWrite, StreamStep::kBlock);
}

// Products with one barrier at the end of all.
void Packer::Multiply(const std::vector<Product>& products) {
  std::vector<ProductTask> tasks;
  for (const Product& product : products) {
    const Instruction& it = At(product.instruction);
    tasks.push_back({product.instruction, it.depth, it.width / form_.blocks, it.then == Instruction::kGate});
  }
  const std::vector<ProductPart> parts =
      SplitProducts(tasks, {form_, chunk_.weights, /*scratch_lines=*/plan_.hidden - plan_.wide});
  if (parts.empty()) {
    refusal_ = "no threads for a product";
    return;
  }
  int scratch = 0, named = 1, exchanged = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Product& product = products[parts[i].task];
    AddProduct(product, parts[i], i + 1 == parts.size(), scratch, named);
    if (parts[i].split == 2) scratch += parts[i].columns, ++named;
    const int outputs = parts[i].columns / (tasks[parts[i].task].gate ? 2 : 1);
    if (product.remote) exchanged += outputs * form_.blocks * form_.tokens * 4;
  }
  to_.steps.back().exchanged = Short(exchanged / 16);
}

void Packer::AddProduct(const Product& product, const ProductPart& part, bool last, int scratch, int named) {
  const Instruction& it = At(product.instruction);
  const auto [R, Q] = kProductShapes[part.shape];
  const int outputs = it.then == Instruction::kGate ? 2 : 1;  // that become one line
  const int pitch = part.threads_wide * part.split * 16, group_depths = 8 / Q, unit = BlockDepths(R, Q);
  const int depths = part.split == 2 ? 128 : RoundUp(it.depth, unit);  // a thread's
  const int chunk_depths = std::min(chunk_.weights / pitch * group_depths / unit * unit, depths);
  StreamStep& step = Add(StreamStep::kProduct, last ? StreamStep::kCluster : StreamStep::kNone);
  step.instruction = Short(product.instruction);
  step.from = Short(product.from);
  step.to = Short(product.to + part.first / outputs);
  step.to_rank = Short(it.width / form_.blocks / outputs);
  step.shape = Short(part.shape), step.then = Short(it.then);
  step.depth = Short(it.depth), step.split = Short(part.split);
  step.threads_wide = Short(part.threads_wide), step.first_warp = Short(part.first_warp);
  step.warps = Short(part.warps), step.named = Short(named), step.scratch = Short(scratch);
  step.remote = product.remote && form_.blocks > 1;
  step.chunks = Short((depths + chunk_depths - 1) / chunk_depths);
  step.blocks = Short(depths / unit), step.chunk_blocks = Short(chunk_depths / unit);
  // No product has 32,000 blocks, so the chain never ends in the middle.
  step.half_blocks = Short(part.split == 1 && it.depth > 128 ? 128 / unit : 32000);
  step.bias_at16 = Short((depths - (step.chunks - 1) * chunk_depths) / group_depths * pitch / 16);
  PutWeights(part, step);
  plan_.chunks += step.chunks;
}

// The number of the instruction's output that thread `thread` of block `rank` makes as the q-th.
int Packer::Column(const ProductPart& part, const Instruction& it, int rank, int thread, int q) const {
  const int own = it.width / form_.blocks;
  if (it.then != Instruction::kGate) return rank * own + part.first + thread + q * part.threads_wide;
  return 2 * (rank * own / 2 + part.first / 2 + thread + q / 2 * part.threads_wide) + q % 2;
}

void Packer::PutWeights(const ProductPart& part, StreamStep& step) {
  const auto [R, Q] = kProductShapes[part.shape];
  const int unit = BlockDepths(R, Q), depths = step.blocks * unit, chunk_depths = step.chunk_blocks * unit;
  for (int rank = 0; rank < form_.blocks; ++rank) {
    std::vector<std::byte>& stream = streams_[static_cast<size_t>(rank)];
    step.offset = static_cast<uint32_t>(stream.size());
    for (int begin = 0; begin < depths; begin += chunk_depths) {
      const size_t before = stream.size();
      const int end = std::min(begin + chunk_depths, depths);
      PutChunk(part, step, rank, begin, end);
      if (end == depths) PutBiases(part, step, rank);
      (end == depths ? step.last_bytes : step.chunk_bytes) = static_cast<uint32_t>(stream.size() - before);
    }
    stream.resize((stream.size() + 127) / 128 * 128);
  }
}

// [depths / group][split][threads][outputs][group]. Depths beyond the product's have weights of -0 and lines of +0,
// which leave a sum unchanged.
void Packer::PutChunk(const ProductPart& part, const StreamStep& step, int rank, int begin, int end) {
  const Instruction& it = At(step.instruction);
  const int Q = kProductShapes[part.shape].columns, group_depths = 8 / Q;
  const auto* weights = reinterpret_cast<const uint16_t*>(image_ + it.weights);
  std::vector<uint16_t> halves;
  for (int k = begin; k < end; k += group_depths) {
    for (int half = 0; half < part.split; ++half) {
      for (int thread = 0; thread < part.threads_wide; ++thread) {
        for (int q = 0; q < Q; ++q) {
          const int column = Column(part, it, rank, thread, q);
          for (int depth = half * 128 + k; depth < half * 128 + k + group_depths; ++depth) {
            halves.push_back(depth < it.depth ? weights[depth * it.width + column] : kMinusZero);
          }
        }
      }
    }
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(halves.data());
  std::vector<std::byte>& stream = streams_[static_cast<size_t>(rank)];
  stream.insert(stream.end(), bytes, bytes + halves.size() * sizeof(uint16_t));
}

void Packer::PutBiases(const ProductPart& part, const StreamStep& step, int rank) {
  const Instruction& it = At(step.instruction);
  std::vector<std::byte>& stream = streams_[static_cast<size_t>(rank)];
  for (int q = 0; q < kProductShapes[part.shape].columns; ++q) {
    for (int thread = 0; thread < part.threads_wide; ++thread) {
      const std::byte* bias = image_ + it.bias + sizeof(float) * static_cast<size_t>(Column(part, it, rank, thread, q));
      stream.insert(stream.end(), bias, bias + sizeof(float));
    }
  }
  stream.resize((stream.size() + 15) / 16 * 16);
}

const char* Packer::TakeSlots() {
  if (to_.steps.size() > kMostStreamSteps) return "it has too many layers";
  for (const StreamStep& step : to_.steps) {
    const auto most = static_cast<int>(std::max(step.chunk_bytes, step.last_bytes));
    plan_.slot_bytes = std::max(plan_.slot_bytes, RoundUp(most, 128));
  }
  const uint64_t used = LayOutStream(plan_, program_.heads).end;
  if (used > shared_bytes_) return "a block's shared memory is too small";
  const int room = static_cast<int>((shared_bytes_ - used) / static_cast<uint64_t>(plan_.slot_bytes));
  plan_.slots = std::min({room, plan_.chunks, kMostStreamSlots});
  // With a single slot, no copy could run ahead of the product that reads the slot.
  if (plan_.slots < 2) return "a block's shared memory has no room for two slots";
  plan_.shared_bytes = LayOutStream(plan_, program_.heads).end;
  return nullptr;
}

const char* Packer::Run() {
  plan_.tokens = form_.tokens;
  plan_.cluster = form_.blocks;
  FindParts();
  if (const char* why = Check()) return why;
  LayOut();
  Multiply({{1, plan_.in, plan_.x, true}, {2, plan_.in, plan_.hidden, true}, {skip_, plan_.in, plan_.skip, false}});
  Multiply({{3, plan_.hidden, plan_.x, true}});
  int i = 4;
  // A layer has eight instructions (network_image.cc), and the last layer a stop besides.
  while (i + 1 < head_) {
    const bool last = At(i + 4).kind == Instruction::kStopIfOnlyFolds;
    Layer(i, last);
    i += last ? 9 : 8;
  }
  Head(i);
  if (refusal_ != nullptr) return refusal_;
  plan_.count = static_cast<int32_t>(to_.steps.size());
  return TakeSlots();
}

template <class T>
size_t Append(const T* from, size_t count, std::vector<std::byte>& to) {
  const size_t at = to.size();
  to.resize((at + count * sizeof(T) + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment);
  std::memcpy(to.data() + at, from, count * sizeof(T));
  return at;
}

}  // namespace

PackedStream::PackedStream(const NetworkImage& image, StreamForm form, uint64_t shared_bytes) {
  Packer packer(image, form, shared_bytes, *this);
  refusal = packer.Run();
  if (refusal != nullptr) return;
  for (const auto& stream : packer.streams()) Append(stream.data(), stream.size(), bytes);
  // Outputs divide evenly among the blocks of a cluster, so all streams have one length.
  plan.rank_bytes = static_cast<uint32_t>(bytes.size() / packer.streams().size());
  gains_at_ = Append(packer.gains().data(), packer.gains().size(), bytes);
  steps_at_ = Append(steps.data(), steps.size(), bytes);
}

StreamPlan PackedStream::PlanAt(const std::byte* device) const {
  StreamPlan made = plan;
  made.stream = device;
  made.gains = reinterpret_cast<const float*>(device + gains_at_);
  made.steps = reinterpret_cast<const StreamStep*>(device + steps_at_);
  return made;
}

}  // namespace aaren::engine
