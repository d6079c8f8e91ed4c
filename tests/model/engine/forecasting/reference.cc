#include "tests/model/engine/forecasting/reference.h"

#include <algorithm>
#include <cmath>

namespace aaren::engine {
namespace {

double Sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double Softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

std::vector<double>& operator+=(std::vector<double>& x, const std::vector<double>& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  return x;
}

// Numbers in gaps of up to three: between the neighbours, drawn towards the mean as far as neighbours differ.
std::vector<double> Bridged(const std::vector<double>& w, double mu, double var, double mad) {
  std::vector<double> bridged = w;
  const double r = var > 0 && mad > 0 ? std::clamp(1 - 0.785 * mad * mad / var, 0.0, 1.0) : 0;
  const auto present = [](double x) { return !std::isnan(x); };
  for (auto before = std::find_if(w.begin(), w.end(), present); before != w.end();) {
    const auto after = std::find_if(before + 1, w.end(), present);
    const double left = *before, right = after == w.end() ? left : *after;
    const auto length = after - before;
    for (auto i = 1; i < length && length <= 4; ++i) {
      const double line = left + (right - left) * static_cast<double>(i) / static_cast<double>(length);
      bridged[static_cast<size_t>(before - w.begin() + i)] = mu + r * r * (line - mu);
    }
    before = after;
  }
  return bridged;
}

}  // namespace

Reference::Reference(const package::ModelPackage& package, Past past)
    : package_(package),
      config_(package.config),
      past_(past),
      folded_(static_cast<size_t>(package.config.layers)),
      sums_(folded_.size(), std::vector<Sums>(static_cast<size_t>(package.config.heads))) {
  for (std::vector<Sums>& heads : sums_) {
    for (Sums& sums : heads) sums.values.assign(static_cast<size_t>(config_.head_width()), 0);
  }
}

void Reference::Remember(float value) {
  MoveOrigin();
  value = std::abs(value) < 1e-27f ? 0 : value;
  const double x = std::isnan(value) ? value : std::clamp(value, -1e30f, 1e30f);
  if (running_.n == 0 && !std::isnan(x)) origin_ = x;
  history_.push_back(static_cast<float>(x - origin_));
  remembered_.push_back(history_.back());
  Run(history_.back());
  if (history_.size() % 48 == 0) RememberBlock();
}

// Makes the newest value the origin where the last 48 are far away beside what they differ by.
void Reference::MoveOrigin() {
  if (history_.empty() || history_.size() % 48 != 0) return;
  double least = INFINITY, most = -INFINITY, newest = NAN;
  for (auto x = history_.end() - 48; x != history_.end(); ++x) {
    if (std::isnan(*x)) continue;
    least = std::min(least, *x);
    most = std::max(most, *x);
    newest = *x;
  }
  const double level = std::min(std::abs(least), std::abs(most));
  if (!(most >= least && level > 64 * (most - least) && level > 4 * std::sqrt(running_.variance))) return;
  origin_ += newest;
  for (Vector* values : {&history_, &remembered_}) {
    for (double& x : *values) x -= newest;
  }
  running_.mean -= newest;
}

// The residual stream after all layers. A token that folds is folded into the layers.
Reference::Vector Reference::Layers(const Vector& u) {
  Vector x = Linear("embed.linear", u);
  x += GatedMlp("embed", u);
  for (int layer = 0; layer < config_.layers; ++layer) {
    const std::string block = "blocks." + std::to_string(layer) + ".";
    Folded folded;
    x += Attention(layer, Norm(block + "norm1.weight", x), &folded);
    x += GatedMlp(block + "mlp", Norm(block + "norm2.weight", x));
    if (!Folds()) continue;
    past_ == Past::kSums ? AddToSums(layer, folded) : folded_[layer].push_back(folded);
  }
  return x;
}

void Reference::See(float value) {
  Remember(value);
  double center, scale;
  if (Folds()) Layers(Input(&center, &scale));
}

Reference::Forecast Reference::Take(float value) {
  Remember(value);
  double center;
  double scale;
  const Vector u = Input(&center, &scale);
  const Vector x = Layers(u);
  const Vector r = Linear("head", Norm("norm.weight", x));
  const Vector skip = Linear("head.skip", u);
  const int count = config_.quantile_count();
  Forecast forecast{.quantiles = Vector(r.size()), .scale = scale};
  for (int j = 0; j < config_.horizon; ++j) {
    Vector q(static_cast<size_t>(count));
    q[count / 2] = r[j * count + count / 2] + skip[j];
    for (int i = count / 2 + 1; i < count; ++i) q[i] = q[i - 1] + Softplus(r[j * count + i]);
    for (int i = count / 2 - 1; i >= 0; --i) q[i] = q[i + 1] - Softplus(r[j * count + i]);
    for (int i = 0; i < count; ++i) forecast.quantiles[j * count + i] = center + scale * q[i];
    for (int i = 0; i < count; ++i) {
      double& quantile = forecast.quantiles[j * count + i];
      if (std::abs(quantile) < 1e-27) quantile = 0;
      quantile = running_.n == 0 ? NAN : origin_ + quantile;
    }
  }
  Widen(forecast.quantiles);
  return forecast;
}

// Each step has the distances from the median of the step as many further on as values are missing.
void Reference::Widen(Vector& quantiles) const {
  const auto newest = std::find_if(history_.rbegin(), history_.rend(), [](double x) { return !std::isnan(x); });
  const auto missing = std::min<int64_t>(newest - history_.rbegin(), config_.ring);
  const int count = config_.quantile_count();
  const Vector narrow = quantiles;
  for (int64_t j = 0; j < config_.horizon && running_.n > 0; ++j) {
    const int64_t further = std::min<int64_t>(j + missing, config_.horizon - 1);
    for (int i = 0; i < count; ++i) {
      quantiles[j * count + i] =
          narrow[j * count + count / 2] + narrow[further * count + i] - narrow[further * count + count / 2];
    }
  }
}

void Reference::Run(double x) {
  if (std::isnan(x)) return;
  const double low = running_.mean - running_.reach(), high = running_.mean + running_.reach();
  running_.far = x < low || x > high ? std::min(running_.far + 1, 4.0) : 0;
  if (running_.far < 4) x = std::clamp(x, low, high);
  running_.n = std::min(running_.n + 1, static_cast<double>(config_.history));
  const double delta = x - running_.mean;
  running_.mean += delta / running_.n;
  running_.variance += (delta * (x - running_.mean) - running_.variance) / running_.n;
}

// Clamps the last 48 values and rounds them to a grid. The grid's step is the least power of two with which 65,534
// steps span the values' range.
void Reference::RememberBlock() {
  const Running& running = running_;
  double least = INFINITY, most = -INFINITY;
  for (auto x = remembered_.end() - 48; x != remembered_.end(); ++x) {
    *x = std::clamp(*x, static_cast<double>(static_cast<float>(running.mean - running.reach())),
                    static_cast<double>(static_cast<float>(running.mean + running.reach())));
    least = std::min(least, *x);
    most = std::max(most, *x);
  }
  if (!(most > least)) return;
  const double step = std::max(std::exp2(std::ceil(std::log2((most - least) / 65534))), 0x1p-126);
  for (auto x = remembered_.end() - 48; x != remembered_.end(); ++x) {
    *x = static_cast<float>(least + step * std::floor((*x - least) / step + 0.5));
  }
}

Reference::Vector Reference::Input(double* center, double* scale) const {
  const Running& running = running_;
  const double n = running.n, mean = running.mean;
  double variance = running.variance;
  Vector w(static_cast<size_t>(config_.ring), NAN);
  const size_t recent = std::min(w.size(), remembered_.size());
  std::copy(remembered_.end() - recent, remembered_.end(), w.end() - recent);
  for (double& x : w) x = std::clamp(x, mean - running.reach(), mean + running.reach());

  double present = 0, sum = 0, squares = 0, changes = 0, neighbours = 0, last = NAN;
  for (size_t i = 0; i < w.size(); ++i) {
    if (std::isnan(w[i])) continue;
    present += 1;
    sum += w[i];
    last = w[i];
    if (i == 0 || std::isnan(w[i - 1])) continue;
    changes += std::abs(w[i] - w[i - 1]);
    neighbours += 1;
  }
  const double mu = present > 0 ? sum / present : mean;
  for (double x : w) squares += std::isnan(x) ? 0 : (x - mu) * (x - mu);
  const double var = present > 0 ? squares / present : 0;
  if (var > 0 && 2 * present >= config_.ring) variance = std::min(variance, 4 * var);
  const double mad = neighbours > 0 ? changes / neighbours : 0;
  *center = mu;
  const double prior = n <= 8 ? 0.1 * (origin_ + mu) * std::pow(0.25, std::max(n, 1.0) - 1) : 0;
  *scale = std::sqrt(var / 2 + variance / 2 + prior * prior) + 1e-7 * std::abs(mu) + 1e-30;

  Vector u;
  for (double x : Bridged(w, mu, var, mad)) u.push_back(std::isnan(x) ? 0 : std::asinh((x - mu) / *scale));
  u.push_back(std::isnan(last) ? 0 : std::asinh((last - mu) / *scale));
  u.push_back(std::asinh(std::clamp((mean - mu) / *scale, -2.0, 2.0)));
  u.push_back(std::log(std::sqrt(variance) / *scale + 0.01));
  u.push_back(std::log(mad / *scale + 0.01));
  u.push_back(1 - present / config_.ring);
  u.push_back(std::log(1 + n) / 7);
  return u;
}

Reference::Vector Reference::Attention(int layer, const Vector& z, Folded* folded) const {
  const std::string name = "blocks." + std::to_string(layer) + ".attention";
  *folded = {.position = history_.size(), .scores = Linear(name + ".score", z), .values = Linear(name + ".value", z)};
  Vector attended;
  if (past_ == Past::kSums) {
    attended = AttendSums(layer, *folded);
  } else {
    std::vector<Folded> tokens = folded_[layer];
    tokens.push_back(*folded);
    attended = Attend(name, tokens);
  }
  const Vector gate = Linear(name + ".gate", z);
  for (size_t i = 0; i < attended.size(); ++i) attended[i] *= 2 * Sigmoid(gate[i]);
  return Linear(name + ".output", attended);
}

// The softmax over all tokens of scores less ages, applied to values turned by their ages. The last token has age 0.
Reference::Vector Reference::Attend(const std::string& name, const std::vector<Folded>& tokens) const {
  const std::vector<float>& decay = Data(name + ".decay");
  const size_t now = tokens.back().position;
  Vector peak(decay.size(), -INFINITY), total(decay.size(), 0), attended(tokens.back().values.size(), 0);
  const auto logit = [&](const Folded& token, size_t h) {
    return token.scores[h] - static_cast<double>(decay[h]) * static_cast<double>(now - token.position);
  };
  for (const Folded& token : tokens) {
    for (size_t h = 0; h < decay.size(); ++h) peak[h] = std::max(peak[h], logit(token, h));
  }
  const size_t head_width = static_cast<size_t>(config_.head_width());
  for (const Folded& token : tokens) {
    Vector values = token.values;
    Turn(name, now - token.position, values);
    for (size_t i = 0; i < values.size(); ++i) {
      const double weight = std::exp(logit(token, i / head_width) - peak[i / head_width]);
      attended[i] += weight * values[i];
      if (i % head_width == 0) total[i / head_width] += weight;
    }
  }
  for (size_t i = 0; i < attended.size(); ++i) attended[i] /= total[i / head_width];
  return attended;
}

// Adds exp(score + decay position), and the value turned back by the position, to the sums of each head.
void Reference::AddToSums(int layer, const Folded& folded) {
  const std::string name = "blocks." + std::to_string(layer) + ".attention";
  Vector turned = folded.values;
  Turn(name, folded.position, turned, /*back=*/true);
  for (size_t h = 0; h < sums_[layer].size(); ++h) {
    Sums& sums = sums_[layer][h];
    const auto decay = static_cast<long double>(Data(name + ".decay")[h]);
    const long double logit = folded.scores[h] + decay * static_cast<long double>(folded.position);
    const long double peak = std::max(sums.peak, logit);
    const long double before = std::exp(sums.peak - peak), weight = std::exp(logit - peak);
    sums.peak = peak;
    sums.total = sums.total * before + weight;
    for (size_t i = 0; i < sums.values.size(); ++i) {
      sums.values[i] = sums.values[i] * before + weight * turned[h * sums.values.size() + i];
    }
  }
}

Reference::Vector Reference::AttendSums(int layer, const Folded& token) const {
  const std::string name = "blocks." + std::to_string(layer) + ".attention";
  Vector past, attended;
  std::vector<long double> own;  // share of the token, by head
  for (size_t h = 0; h < sums_[layer].size(); ++h) {
    const Sums& sums = sums_[layer][h];
    const auto decay = static_cast<long double>(Data(name + ".decay")[h]);
    const long double aged = sums.peak - decay * static_cast<long double>(token.position), score = token.scores[h];
    const long double peak = std::max(aged, score), before = std::exp(aged - peak), weight = std::exp(score - peak);
    const long double total = sums.total * before + weight;
    own.push_back(weight / total);
    for (const long double value : sums.values) past.push_back(static_cast<double>(value * before / total));
  }
  Turn(name, token.position, past);
  for (size_t i = 0; i < past.size(); ++i) {
    attended.push_back(
        static_cast<double>(past[i] + own[i / static_cast<size_t>(config_.head_width())] * token.values[i]));
  }
  return attended;
}

// Rotates each pair by -omega elapsed, or back. The package has omega for up to S tokens. A longer time turns by the
// remainder first, then by S tokens at a time.
void Reference::Turn(const std::string& name, size_t elapsed, Vector& values, bool back) const {
  const std::vector<float>& cosine = Data(name + ".cos");
  const std::vector<float>& sine = Data(name + ".sin");
  const size_t every = static_cast<size_t>(config_.fold_every);
  const size_t pairs = values.size() / 2;
  const auto angle = [&](size_t tokens, size_t j) {
    return tokens == 0 ? 0.0
                       : std::atan2(double{sine[(tokens - 1) * pairs + j]}, double{cosine[(tokens - 1) * pairs + j]});
  };
  for (size_t j = 0; j < pairs; ++j) {
    const double once = angle(elapsed % every, j) + static_cast<double>(elapsed / every) * angle(every, j);
    const double turn = back ? -once : once;
    const double x = values[2 * j];
    const double y = values[2 * j + 1];
    values[2 * j] = std::cos(turn) * x + std::sin(turn) * y;
    values[2 * j + 1] = std::cos(turn) * y - std::sin(turn) * x;
  }
}

Reference::Vector Reference::Linear(const std::string& name, const Vector& x) const {
  const std::vector<float>& weight = Data(name + ".weight");
  const auto bias = package_.tensors.find(name + ".bias");
  Vector out(weight.size() / x.size());
  for (size_t n = 0; n < out.size(); ++n) {
    for (size_t k = 0; k < x.size(); ++k) out[n] += static_cast<double>(weight[n * x.size() + k]) * x[k];
    if (bias != package_.tensors.end()) out[n] += static_cast<double>(bias->second.data[n]);
  }
  return out;
}

Reference::Vector Reference::GatedMlp(const std::string& name, const Vector& x) const {
  Vector hidden = Linear(name + ".gate", x);
  const Vector up = Linear(name + ".up", x);
  for (size_t i = 0; i < hidden.size(); ++i) hidden[i] *= Sigmoid(hidden[i]) * up[i];
  return Linear(name + ".down", hidden);
}

Reference::Vector Reference::Norm(const std::string& name, const Vector& x) const {
  double squares = 0;
  for (double value : x) squares += value * value;
  Vector out = x;
  for (size_t i = 0; i < x.size(); ++i) {
    out[i] *= static_cast<double>(Data(name)[i]) / std::sqrt(squares / static_cast<double>(x.size()) + 1e-6);
  }
  return out;
}

}  // namespace aaren::engine
