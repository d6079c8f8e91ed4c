#ifndef AAREN_TESTS_SERVER_NET_RPC_SERVING_SUM_ENGINE_H_
#define AAREN_TESTS_SERVER_NET_RPC_SERVING_SUM_ENGINE_H_

// A SumEngine takes the place of the model's engine and makes replies that tell the folded values. The forecast for h
// steps ahead (1, 2, 3) at quantile index q (0, 1, 2) is the sum of all values so far + 10 h + q.

#include <memory>

#include "model/engine/engine.h"

namespace aaren::rpc {

package::ForecasterConfig SumConfig();  // horizon 3, quantiles 0.1, 0.5, 0.9

std::unique_ptr<engine::Engine> NewSumEngine();

inline float SumForecast(float sum, int h, int q) {
  return sum + 10.0f * static_cast<float>(h) + static_cast<float>(q);
}

}  // namespace aaren::rpc

#endif  // AAREN_TESTS_SERVER_NET_RPC_SERVING_SUM_ENGINE_H_
