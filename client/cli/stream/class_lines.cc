#include "client/cli/stream/class_lines.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

constexpr size_t kMostShown = 3;

}  // namespace

void ClassLines::Append(const Row& row, const client::Forecast& forecast, std::string& out) const {
  words_ ? AppendWords(row, forecast, out) : AppendObject(row, forecast, out);
  out += '\n';
}

void ClassLines::AppendObject(const Row& row, const client::Forecast& forecast, std::string& out) const {
  const auto likeliest = std::max_element(forecast.values.begin(), forecast.values.end());
  JsonObject object(out);
  object.Add("seq", forecast.seq).Add("time", has_times_ ? std::optional(row.time) : std::nullopt);
  object.Add("series", series_);
  object.Add("class", classes_[likeliest - forecast.values.begin()]).Add("probability", *likeliest);
  object.Key("probabilities");
  JsonObject all(out);
  for (size_t c = 0; c < classes_.size(); ++c) all.Add(classes_[c], forecast.values[c]);
  all.Close();
  object.Close();
}

void ClassLines::AppendWords(const Row& row, const client::Forecast& forecast, std::string& out) const {
  absl::StrAppend(&out, has_times_ ? Shown(row.time) : absl::StrCat("row ", forecast.seq));
  std::vector<size_t> order(classes_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t shown = std::min(kMostShown, order.size());
  const auto likelier = [&](size_t a, size_t b) {
    return forecast.values[a] != forecast.values[b] ? forecast.values[a] > forecast.values[b] : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(shown), order.end(), likelier);
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppendFormat(&out, "%s%s %.0f %%", i == 0 ? "  " : ", ", Shown(classes_[order[i]]),
                          100 * forecast.values[order[i]]);
  }
}

}  // namespace aaren::cli
