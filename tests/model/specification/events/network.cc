#include "tests/model/specification/events/network.h"

#include <algorithm>

#include "tests/model/specification/events/doubles.h"
#include "tests/model/specification/functions.h"

namespace aaren::specification::events {
namespace {

void Add(Vector& x, const Vector& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] = x[i] + y[i];
}

}  // namespace

Vector Network::Product(const std::string& name, const Vector& x) const {
  const auto bias = package_.tensors.find(name + ".bias");
  const package::Tensor* found = bias != package_.tensors.end() ? &bias->second : nullptr;
  return specification::Product(Tier::kExact, tensor(name + ".weight"), found, x);
}

Vector Network::GatedProduct(const std::string& prefix, const Vector& x) const {
  Vector gate = Product(prefix + "gate", x);
  const Vector up = Product(prefix + "up", x);
  for (size_t i = 0; i < gate.size(); ++i) gate[i] = Silu(gate[i]) * up[i];
  return Product(prefix + "down", gate);
}

Vector Network::Attend(const std::string& prefix, const Vector& z, float elapsed, Attention& block) const {
  const Vector score = Product(prefix + "score", z), v = Product(prefix + "value", z), g = Product(prefix + "gate", z);
  const package::Tensor& log_decay = tensor(prefix + "log_decay");
  std::vector<double> p(8);
  for (size_t h = 0; h < 8; ++h) {
    const double age = h < 4 ? 1.0 : double{elapsed}, s = score[h];
    const double aged = block.m[h] - DoubleExp(log_decay.data[h]) * age;
    block.m[h] = aged < s ? s : aged;
    const double alpha = DoubleExp(aged - block.m[h]), beta = DoubleExp(s - block.m[h]);
    block.c[h] = block.c[h] * alpha + beta;
    p[h] = beta / block.c[h];
  }
  Vector out(128);
  for (size_t j = 0; j < 128; ++j) {
    block.o[j] = block.o[j] + p[j / 16] * (v[j] - block.o[j]);
    out[j] = (2.0f * Sigmoid(g[j])) * static_cast<float>(block.o[j]);
  }
  return Product(prefix + "output", out);
}

Vector Network::Forward(const Vector& u, float elapsed) {
  Vector x = Product("input", u);
  Add(x, GatedProduct("input_mlp.", u));
  for (size_t k = 0; k < blocks_.size(); ++k) {
    const std::string prefix = "blocks." + std::to_string(k) + ".";
    Add(x, Attend(prefix + "attention.", RmsNorm(x, tensor(prefix + "norm1.weight")), elapsed, blocks_[k]));
    Add(x, GatedProduct(prefix + "mlp.", RmsNorm(x, tensor(prefix + "norm2.weight"))));
  }
  return RmsNorm(x, tensor("norm.weight"));
}

Vector Network::Marks(const Vector& y, const std::vector<Vector>& inputs) const {
  const Vector token = Product("mark_token", y), line = Product("mark_line", y);
  Vector logits;
  for (const Vector& f : inputs) {
    Vector hidden = Product("mark_input", f);
    Add(hidden, token);
    for (float& one : hidden) one = Silu(one);
    float sum = 0;
    for (size_t j = 0; j < f.size(); ++j) sum = sum + line[j] * f[j];
    logits.push_back(Product("mark_hidden", hidden)[0] + sum);
  }
  logits.push_back(Product("mark_new", y)[0]);
  const float most = *std::max_element(logits.begin(), logits.end());
  float whole = 0;
  for (float& one : logits) {
    one = Exp(one - most);
    whole = whole + one;
  }
  for (float& one : logits) one = one / whole;
  return logits;
}

}  // namespace aaren::specification::events
