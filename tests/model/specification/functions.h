#ifndef AAREN_TESTS_MODEL_SPECIFICATION_FUNCTIONS_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_FUNCTIONS_H_

// Section 12 of model/README.md: elementary functions of floats, in float.

namespace aaren::specification {

float Exp(float x);       // 12.1-12.3
float Log(float x);       // 12.4-12.6. REQUIRES: x is normal and > 0
float Sigmoid(float x);   // 12.8
float Silu(float x);      // 12.9
float Softplus(float x);  // 12.9
float Asinh(float x);     // 12.10, 12.11

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_FUNCTIONS_H_
