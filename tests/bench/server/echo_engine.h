#ifndef AAREN_TESTS_BENCH_SERVER_ECHO_ENGINE_H_
#define AAREN_TESTS_BENCH_SERVER_ECHO_ENGINE_H_

// An EchoEngine takes the place of the model's engine and only counts tokens: every forecast number is the token's
// value. The remaining time is the server's own.

#include <memory>

#include "model/engine/engine.h"

namespace aaren::bench {

// 3 steps x 9 quantiles: 108 bytes of forecast a token.
package::ForecasterConfig EchoConfig();

// Forecasts as many numbers a token as a model of `config` does.
std::unique_ptr<engine::Engine> NewEchoEngine(const package::ForecasterConfig& config);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_SERVER_ECHO_ENGINE_H_
