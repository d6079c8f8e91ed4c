#include "model/engine/cuda/stream/product_split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace aaren::engine {
namespace {

constexpr int kWarps = kStreamWorkers / 32;
constexpr double kNone = std::numeric_limits<double>::infinity();

// A shape for some outputs, and what it costs.
struct Choice {
  int shape, split, threads_wide, warps;
  double depth;               // a thread's
  double issue, least, load;  // cycles of a depth: of a warp, of a chain at the least, of shared memory

  double Join() const { return split == 2 ? 250 : 0; }
  double Alone() const { return depth * std::max({std::ceil(warps / 4.0) * issue, load, least}) + Join() + 300; }
};

Choice Priced(const ProductTask& task, int tokens, int shape, int split, int threads_wide) {
  const auto [rows, columns] = kProductShapes[shape];
  const int groups = tokens / rows, threads = groups * threads_wide * split;
  const double depths = BlockDepths(rows, columns), group_depths = 8 / columns;
  Choice made = {shape, split, threads_wide, (threads + 31) / 32, split == 2 ? 128.0 : task.depth, 0, 0, 0};
  const double loads = rows <= 4 ? 1 : rows / 4.0;
  made.issue = rows * columns + loads + 1 / group_depths + columns + 8 / depths;
  made.least = std::max({6.0, made.issue * 1.1 + 1, 90 / depths});
  const double distinct = 32.0 / std::min(groups, 32) * 16;  // bytes of weights that a warp reads at once
  made.load = made.warps * (loads * (rows == 1 ? 1.3 : 2.6) + (distinct > 256 ? 4.15 : 2.6) / group_depths);
  return made;
}

std::vector<Choice> Choices(const ProductTask& task, int columns, const SplitLimits& limits) {
  std::vector<Choice> all;
  const int tokens = limits.form.tokens;
  for (int shape = 0; shape < kProductShapeCount; ++shape) {
    const auto [R, Q] = kProductShapes[shape];
    if (!HasShape(R, Q, tokens, limits.form.blocks) || R > tokens || columns % Q != 0 || (task.gate && Q == 1))
      continue;
    for (int split = 1; split <= (task.depth > 128 && limits.scratch_lines > 0 ? 2 : 1); ++split) {
      const int wide = columns / Q;
      if (tokens / R * wide * split > kStreamWorkers) continue;
      if (wide * split * 16 * GroupsAhead(R, Q) > limits.chunk_bytes) continue;
      all.push_back(Priced(task, tokens, shape, split, wide));
    }
  }
  return all;
}

struct Split {
  std::vector<ProductPart> parts;
  double cost = kNone;
};

ProductPart PartOf(size_t task, int first, int columns, const Choice& choice, int warp) {
  return {task, first, columns, choice.shape, choice.split, choice.threads_wide, warp, choice.warps};
}

// One task's outputs in the cheapest pieces, one after another.
Split Pieces(const std::vector<ProductTask>& tasks, size_t task, const SplitLimits& limits) {
  const int columns = tasks[task].columns, unit = columns % 16 == 0 ? 16 : columns;
  struct Best {
    double cost = kNone;
    int columns = 0;
    Choice choice = {};
  };
  std::vector<Best> best(static_cast<size_t>(columns) + 1);
  best[0].cost = 0;
  for (int end = unit; end <= columns; end += unit) {
    Best& to = best[static_cast<size_t>(end)];
    for (int piece = unit; piece <= end; piece += unit) {
      for (const Choice& choice : Choices(tasks[task], piece, limits)) {
        const double cost = best[static_cast<size_t>(end - piece)].cost + choice.Alone();
        if (cost < to.cost) to = {cost, piece, choice};
      }
    }
  }
  Split split;
  split.cost = best[static_cast<size_t>(columns)].cost;
  if (split.cost == kNone) return split;
  for (int end = columns; end > 0; end -= best[static_cast<size_t>(end)].columns) {
    const Best& piece = best[static_cast<size_t>(end)];
    split.parts.push_back(PartOf(task, end - piece.columns, piece.columns, piece.choice, 0));
  }
  std::reverse(split.parts.begin(), split.parts.end());
  return split;
}

Split OneAfterAnother(const std::vector<ProductTask>& tasks, const SplitLimits& limits) {
  Split all;
  all.cost = 0;
  for (size_t task = 0; task < tasks.size(); ++task) {
    const Split pieces = Pieces(tasks, task, limits);
    all.cost += pieces.cost;
    all.parts.insert(all.parts.end(), pieces.parts.begin(), pieces.parts.end());
  }
  if (tasks.size() == 1 && all.parts.size() == 2) {  // beside each other, where there are warps
    const int first = (all.parts[0].warps + 3) / 4 * 4;
    if (first + all.parts[1].warps <= kWarps) all.parts[1].first_warp = first;
  }
  return all;
}

// The tasks with these choices side by side, each where warps are least busy.
Split Placed(const std::vector<ProductTask>& tasks, const std::vector<const Choice*>& choices) {
  std::array<double, kWarps> busy = {};
  double load = 0;
  Split split;
  for (size_t task = 0; task < tasks.size(); ++task) {
    const Choice& choice = *choices[task];
    int start = 0;
    double least = kNone;
    for (int first = 0; first + choice.warps <= kWarps; ++first) {
      const double most = *std::max_element(busy.begin() + first, busy.begin() + first + choice.warps);
      if (most < least) least = most, start = first;
    }
    for (int w = start; w < start + choice.warps; ++w) {
      busy[static_cast<size_t>(w)] += choice.depth * std::max(choice.issue, 5.0) + choice.Join() + 300;
    }
    load += choice.load * choice.depth;
    split.parts.push_back(PartOf(task, 0, tasks[task].columns, choice, start));
  }
  split.cost = load;
  for (size_t w = 0; w < kWarps / 2; ++w) split.cost = std::max(split.cost, busy[w] + busy[w + kWarps / 2]);
  return split;
}

Split SideBySide(const std::vector<ProductTask>& tasks, const SplitLimits& limits) {
  // The number of combinations grows with the tasks, so with many tasks each has fewer choices.
  const size_t most = tasks.size() > 3 ? 4 : 8;  // choices of a task: all combinations are tried
  std::vector<std::vector<Choice>> choices;
  for (const ProductTask& task : tasks) {
    std::vector<Choice> some = Choices(task, task.columns, limits);
    if (some.empty()) return {};
    // A stable sort keeps the order of shapes among equal costs, so a network has one plan with every standard library.
    std::stable_sort(some.begin(), some.end(), [](const Choice& a, const Choice& b) { return a.Alone() < b.Alone(); });
    some.resize(std::min(some.size(), most));
    choices.push_back(std::move(some));
  }
  Split best;
  std::vector<size_t> at(tasks.size(), 0);
  for (size_t task = 0; task < tasks.size();) {
    std::vector<const Choice*> these;
    for (size_t i = 0; i < tasks.size(); ++i) these.push_back(&choices[i][at[i]]);
    Split split = Placed(tasks, these);
    if (split.cost < best.cost) best = std::move(split);
    for (task = 0; task < tasks.size() && ++at[task] == choices[task].size(); ++task) at[task] = 0;
  }
  return best;
}

int ScratchLines(const std::vector<ProductPart>& parts) {
  int lines = 0;
  for (const ProductPart& part : parts) lines += part.split == 2 ? part.columns : 0;
  return lines;
}

}  // namespace

std::vector<ProductPart> SplitProducts(const std::vector<ProductTask>& tasks, const SplitLimits& limits) {
  Split best = OneAfterAnother(tasks, limits);
  if (tasks.size() > 1) {
    if (Split beside = SideBySide(tasks, limits); beside.cost < best.cost) best = std::move(beside);
  }
  // The halves of a split product meet in scratch lines. With too few lines, no product is split.
  if (ScratchLines(best.parts) > limits.scratch_lines) {
    SplitLimits whole = limits;
    whole.scratch_lines = 0;
    return SplitProducts(tasks, whole);
  }
  if (best.cost == kNone) best.parts.clear();
  return best.parts;
}

}  // namespace aaren::engine
