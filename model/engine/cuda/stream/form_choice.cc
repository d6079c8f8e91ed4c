#include "model/engine/cuda/stream/form_choice.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace aaren::engine {
namespace {

// Microseconds of a tile by each form: the bundled model's on an H200 (tests/bench/RESULTS.md). Another network changes
// the times of all forms alike.
constexpr double kTileMicroseconds[] = {50, 56, 62, 83, 112, 178, 312};
static_assert(std::size(kTileMicroseconds) == kStreamFormCount);

size_t DivideUp(size_t number, size_t by) { return (number + by - 1) / by; }

double Cost(const FormQuestion& question, int form) {
  const auto tile_tokens = static_cast<size_t>(kStreamForms[form].tokens);
  const size_t tiles = DivideUp(question.tokens, tile_tokens);
  // More tiles than clusters that run beside each other take further rounds.
  const size_t rounds = DivideUp(tiles, static_cast<size_t>(question.clusters[static_cast<size_t>(form)]));
  // The tiles of a long run follow each other, however many clusters are free.
  const size_t chain = DivideUp(question.longest_run, tile_tokens);
  // Calls under way lose the processors that the form takes, for as long as the form takes them.
  const double share = static_cast<double>(tiles) * kStreamForms[form].blocks / question.processors;
  return kTileMicroseconds[form] * (static_cast<double>(std::max(rounds, chain)) + share * question.calls_under_way);
}

}  // namespace

int ChooseForm(const FormQuestion& question) {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (int form = 0; form < kStreamFormCount; ++form) {
    if (question.clusters[static_cast<size_t>(form)] == 0) continue;
    const double cost = Cost(question, form);
    if (cost < least) best = form, least = cost;
  }
  return best;
}

}  // namespace aaren::engine
