#include "tests/model/specification/network/network.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/model/specification/functions.h"

namespace aaren::specification {
namespace {

void Add(Vector& x, const Vector& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

// 4.9-4.13 for all heads: c' and m' of `to`, and p.
std::vector<double> WeighHeads(const Vector& score, const package::Tensor& decay, int dt, const BlockState& from,
                               BlockState& to) {
  std::vector<double> p(score.size());
  for (size_t h = 0; h < score.size(); ++h) {
    const double s = score[h], aged = from.m[h] - double{decay.data[h]} * dt;
    to.m[h] = std::max(aged, s);
    const double alpha = Exp(static_cast<float>(std::max(aged - to.m[h], -200.0)));
    const double beta = Exp(static_cast<float>(std::max(s - to.m[h], -200.0)));
    to.c[h] = alpha * from.c[h] + beta;
    p[h] = beta / to.c[h];
  }
  return p;
}

// 4.14, 4.15 for pair j.
void Turn(double cosine, double sine, size_t j, std::vector<double>& o) {
  const double length = std::sqrt(cosine * cosine + sine * sine);
  const double C = cosine / length, Z = sine / length;
  const double y0 = C * o[2 * j] + Z * o[2 * j + 1], y1 = C * o[2 * j + 1] - Z * o[2 * j];
  o[2 * j] = y0;
  o[2 * j + 1] = y1;
}

}  // namespace

Network::Network(const package::ModelPackage& package, Tier tier)
    : package_(package), tier_(tier), sizes_(package.config) {
  const double empty = -std::numeric_limits<double>::infinity();
  const size_t V = sizes_.V, H = sizes_.H;
  states_.assign(sizes_.L, {std::vector<double>(V), std::vector<double>(H), std::vector<double>(H, empty)});
}

Vector Network::Product(const std::string& name, const Vector& x) const {
  const auto bias = package_.tensors.find(name + ".bias");
  const package::Tensor* found = bias != package_.tensors.end() ? &bias->second : nullptr;
  return specification::Product(tier_, tensor(name + ".weight"), found, x);
}

Vector Network::GatedProduct(const std::string& prefix, const Vector& x) const {
  Vector gate = Product(prefix + "gate", x);
  const Vector up = Product(prefix + "up", x);
  for (size_t i = 0; i < gate.size(); ++i) gate[i] = Silu(gate[i]) * up[i];
  return Product(prefix + "down", gate);
}

Vector Network::Attention(int64_t t, int64_t k, int block, const Vector& z, bool may_fold) {
  const std::string prefix = "blocks." + std::to_string(block) + ".attention.";
  const Vector score = Product(prefix + "score", z), v = Product(prefix + "value", z), g = Product(prefix + "gate", z);
  const package::Tensor &cosine = tensor(prefix + "cos"), &sine = tensor(prefix + "sin");
  const int dt = static_cast<int>(t % (sizes_.S * k) / k) + 1;  // 4.3
  const size_t V = sizes_.V;

  BlockState next = states_[block];
  const std::vector<double> p = WeighHeads(score, tensor(prefix + "decay"), dt, states_[block], next);
  for (size_t j = 0; j < V / 2; ++j) {
    const size_t place = (dt - 1) * (V / 2) + j;
    Turn(cosine.data[place], sine.data[place], j, next.o);
  }
  Vector out(V);
  for (size_t i = 0; i < V; ++i) {
    next.o[i] = next.o[i] + p[i / (V / sizes_.H)] * (v[i] - next.o[i]);  // 4.16
    out[i] = (2.0f * Sigmoid(g[i])) * static_cast<float>(next.o[i]);
  }
  if (may_fold && (t + 1) % (sizes_.S * k) == 0) states_[block] = next;  // 4.17
  return Product(prefix + "output", out);
}

Vector Network::Forward(int64_t t, int64_t k, const Vector& u, bool may_fold) {
  Vector x = Product("embed.linear", u);
  Add(x, GatedProduct("embed.", u));
  for (int block = 0; block < sizes_.L; ++block) {
    const std::string prefix = "blocks." + std::to_string(block) + ".";
    Add(x, Attention(t, k, block, RmsNorm(x, tensor(prefix + "norm1.weight")), may_fold));
    Add(x, GatedProduct(prefix + "mlp.", RmsNorm(x, tensor(prefix + "norm2.weight"))));
  }
  return x;
}

Vector Network::Quantiles(const Vector& y, const Vector& skip) const {
  const Vector r = Product("head", y);
  const int Q = sizes_.Q, M = sizes_.M;
  Vector all(r.size());
  for (int j = 0; j < sizes_.T; ++j) {
    float* q = &all[j * Q];
    q[M] = r[j * Q + M] + skip[j];
    for (int i = M + 1; i < Q; ++i) q[i] = q[i - 1] + Softplus(r[j * Q + i]);
    for (int i = M - 1; i >= 0; --i) q[i] = q[i + 1] - Softplus(r[j * Q + i]);
  }
  return all;
}

}  // namespace aaren::specification
