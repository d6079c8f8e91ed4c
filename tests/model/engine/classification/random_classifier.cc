#include "tests/model/engine/classification/random_classifier.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/engine/classification/classifier_package.h"

namespace aaren::classification {
namespace {

using Matrix = std::vector<std::vector<double>>;  // [tokens][width]
using package::ModelPackage;
using package::Tensor;

double Uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 40) * 0x1p-23 - 1; }

// x W^T + b, for weights [out, in] and a bias that may be null.
Matrix Linear(const Tensor& weight, const Tensor* bias, const Matrix& x) {
  Matrix out;
  for (const std::vector<double>& row : x) {
    std::vector<double>& sums = out.emplace_back();
    for (size_t i = 0; i < weight.data.size() / row.size(); ++i) {
      double sum = bias == nullptr ? 0 : bias->data[i];
      for (size_t k = 0; k < row.size(); ++k) sum += weight.data[i * row.size() + k] * row[k];
      sums.push_back(sum);
    }
  }
  return out;
}

Matrix Linear(const ModelPackage& package, const std::string& name, const Matrix& x) {
  return Linear(package.tensors.at(name + ".weight"), &package.tensors.at(name + ".bias"), x);
}

double Gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

Matrix Norm(const ModelPackage& package, const std::string& name, Matrix x) {
  const std::vector<float>&gain = package.tensors.at(name + ".weight").data,
        &offset = package.tensors.at(name + ".bias").data;
  for (std::vector<double>& row : x) {
    double mean = 0, variance = 0;
    for (const double number : row) mean += number / static_cast<double>(row.size());
    for (const double number : row) variance += (number - mean) * (number - mean) / static_cast<double>(row.size());
    for (size_t j = 0; j < row.size(); ++j) {
      row[j] = (row[j] - mean) / std::sqrt(variance + 1e-5) * gain[j] + offset[j];
    }
  }
  return x;
}

void Add(const Matrix& y, Matrix& x) {
  for (size_t t = 0; t < x.size(); ++t) {
    for (size_t j = 0; j < x[t].size(); ++j) x[t][j] += y[t][j];
  }
}

// The output at t is the average of values 0 .. t, weighed by exp(score).
Matrix Attend(const Matrix& scores, const Matrix& values) {
  Matrix out(values.size(), std::vector<double>(values[0].size(), 0));
  const size_t head_width = values[0].size() / scores[0].size();
  for (size_t t = 0; t < values.size(); ++t) {
    for (size_t j = 0; j < values[0].size(); ++j) {
      const size_t head = j / head_width;
      double sum = 0, weights = 0, most = scores[0][head];
      for (size_t s = 0; s <= t; ++s) most = std::max(most, scores[s][head]);
      for (size_t s = 0; s <= t; ++s) {
        const double weight = std::exp(scores[s][head] - most);
        weights += weight;
        sum += weight * values[s][j];
      }
      out[t][j] = sum / weights;
    }
  }
  return out;
}

Matrix Embed(const ModelPackage& package, const Series& series) {
  const package::ClassifierConfig& config = package.classifier;
  const size_t channels = config.channels();
  Matrix windows;
  for (size_t t = 0; t < series.size(); ++t) {
    std::vector<double>& window = windows.emplace_back();
    for (size_t back : {2, 1, 0}) {
      for (size_t v = 0; v < channels; ++v) {
        window.push_back(t < back ? 0 : (series[t - back][v] - config.means[v]) / config.deviations[v]);
      }
    }
  }
  Matrix x = Linear(package.tensors.at("embedding.window"), nullptr, windows);
  const std::vector<float>& code = package.tensors.at("embedding.position").data;
  for (size_t t = 0; t < x.size(); ++t) {
    for (size_t j = 0; j < x[t].size(); ++j) x[t][j] += code[t * x[t].size() + j];
  }
  return x;
}

}  // namespace

ModelPackage RandomClassifierPackage(uint64_t seed, const RandomSizes& sizes) {
  std::mt19937_64 random(seed);
  ModelPackage package;
  package.kind = package::kClassification;
  package.name = "random-classifier";
  package.input_version = kClassifierInputVersion;
  package.classifier.steps = sizes.steps;
  for (size_t c = 0; c < sizes.classes; ++c) package.classifier.classes.push_back(absl::StrCat("class ", c));
  for (size_t v = 0; v < sizes.channels; ++v) {
    package.classifier.means.push_back(100 * Uniform(random));
    package.classifier.deviations.push_back(2 + Uniform(random));
  }
  for (const auto& [name, shape] : ClassifierTensors(package.classifier)) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    const double width = shape.size() > 1 ? static_cast<double>(shape.back()) : 4, range = 2 / std::sqrt(width);
    Tensor& tensor = package.tensors[name];
    tensor.shape = shape;
    for (int64_t i = 0; i < count; ++i) tensor.data.push_back(static_cast<float>(range * Uniform(random)));
    // Small steps of the head, so that the probabilities of a hundred steps are not all 0 or 1.
    if (name == "head.weight") {
      for (float& weight : tensor.data) weight *= 0.1f;
    }
  }
  return package;
}

Series RandomSeries(uint64_t seed, size_t tokens, const package::ClassifierConfig& config) {
  std::mt19937_64 random(seed);
  Series series(tokens);
  for (std::vector<double>& token : series) {
    for (size_t v = 0; v < config.channels(); ++v) {
      token.push_back(config.means[v] + 3 * config.deviations[v] * Uniform(random));
    }
  }
  return series;
}

std::vector<double> ReferenceProbabilities(const ModelPackage& package, const Series& series) {
  Matrix x = Embed(package, series);
  for (const std::string layer : {"layers.0.", "layers.1.", "layers.2."}) {
    const Matrix scores = Linear(package.tensors.at(layer + "attention.score.weight"), nullptr, x);
    const Matrix averages = Attend(scores, Linear(package, layer + "attention.value", x));
    Add(Linear(package, layer + "attention.output", averages), x);
    x = Norm(package, layer + "norm", x);
    Matrix hidden = Linear(package, layer + "mlp.up", x);
    for (std::vector<double>& row : hidden) std::transform(row.begin(), row.end(), row.begin(), Gelu);
    Add(Linear(package, layer + "mlp.down", hidden), x);
    x = Norm(package, layer + "mlp.norm", x);
  }
  x = Norm(package, "norm", x);
  const std::vector<float>&bias = package.tensors.at("head.bias").data, &head = package.tensors.at("head.weight").data;
  std::vector<double> logits(bias.begin(), bias.end());
  for (size_t t = 0; t < x.size(); ++t) {
    const size_t width = x[t].size();
    for (size_t c = 0; c < logits.size(); ++c) {
      for (size_t j = 0; j < width; ++j) logits[c] += head[(t * logits.size() + c) * width + j] * Gelu(x[t][j]);
    }
  }
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (double& logit : logits) sum += logit = std::exp(logit - most);
  for (double& logit : logits) logit /= sum;
  return logits;
}

}  // namespace aaren::classification
