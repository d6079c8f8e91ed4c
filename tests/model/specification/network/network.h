#ifndef AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_NETWORK_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_NETWORK_H_

// Sections 3 to 5 of model/README.md: embedding, blocks with their states, and head.

#include <cstdint>
#include <string>
#include <vector>

#include "model/package/package.h"
#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/sizes.h"

namespace aaren::specification {

// A block's state (4.1).
struct BlockState {
  std::vector<double> o, c, m;
};

class Network {
 public:
  Network(const package::ModelPackage& package, Tier tier);  // not owned

  // x after the blocks, for token t with the input u. Stores the new states if the token folds (4.4).
  Vector Forward(int64_t t, int64_t k, const Vector& u, bool may_fold = true);

  // 5.1
  Vector Normed(const Vector& x) const { return RmsNorm(x, tensor("norm.weight")); }

  // q of 5.4-5.6, [T, Q]
  Vector Quantiles(const Vector& y, const Vector& skip) const;

  // The product with the layer of that name, with the layer's bias if any.
  Vector Product(const std::string& name, const Vector& x) const;

  const package::Tensor& tensor(const std::string& name) const { return package_.tensors.at(name); }
  const Sizes& sizes() const { return sizes_; }
  const std::vector<BlockState>& states() const { return states_; }

 private:
  Vector GatedProduct(const std::string& prefix, const Vector& x) const;  // the second summand of 3.1, and 4.19
  Vector Attention(int64_t t, int64_t k, int block, const Vector& z,
                   bool may_fold);  // 4.6-4.17, and the summand of 4.18

  const package::ModelPackage& package_;
  Tier tier_;
  Sizes sizes_;
  std::vector<BlockState> states_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_NETWORK_H_
