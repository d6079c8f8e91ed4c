#ifndef AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_NETWORK_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_NETWORK_H_

// Sections E6 and E7 of model/engine/events/RULES.md: the network and the probabilities of marks.

#include <string>
#include <vector>

#include "model/package/package.h"
#include "tests/model/specification/arithmetic.h"

namespace aaren::specification::events {

// The state of a block (E6.2).
struct Attention {
  std::vector<double> o = std::vector<double>(128), c = std::vector<double>(8), m = std::vector<double>(8, -1e30);
};

class Network {
 public:
  explicit Network(const package::ModelPackage& package) : package_(package), blocks_(2) {}  // not owned

  Vector Forward(const Vector& u, float elapsed);  // E6.1-E6.10: y

  // E7: the probability of each slot, and that of a new mark last.
  Vector Marks(const Vector& y, const std::vector<Vector>& inputs) const;

  const std::vector<Attention>& blocks() const { return blocks_; }

  // The product with the layer of the name, with the layer's bias if any.
  Vector Product(const std::string& name, const Vector& x) const;

 private:
  const package::Tensor& tensor(const std::string& name) const { return package_.tensors.at(name); }
  Vector GatedProduct(const std::string& prefix, const Vector& x) const;  // the second summand of E6.1 and E6.9
  Vector Attend(const std::string& prefix, const Vector& z, float elapsed, Attention& block) const;  // E6.3-E6.8

  const package::ModelPackage& package_;
  std::vector<Attention> blocks_;
};

}  // namespace aaren::specification::events

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_NETWORK_H_
