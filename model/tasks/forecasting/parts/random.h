#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_RANDOM_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_RANDOM_H_

// Random is a reproducible sequence of random numbers. A pair (seed, index) gives the same sequence with every
// compiler, which the distributions of <random> do not promise. Sequences of different pairs are independent for all
// practical purposes.
//
// Threading: a plain value; one thread at a time.

#include <cstdint>
#include <initializer_list>

namespace aaren::forecasting {

class Random {
 public:
  Random(uint64_t seed, uint64_t index);

  uint64_t Bits();                             // 64 uniform bits
  double Uniform();                            // [0, 1)
  double Uniform(double low, double high);     // [low, high)
  double LogUniform(double low, double high);  // uniform logarithm; 0 < low <= high
  int Below(int count);                        // 0 .. count - 1; count >= 1
  bool Chance(double probability);
  double Normal();                                  // mean 0, deviation 1
  double StudentT(double freedom);                  // freedom > 0
  double Exponential();                             // mean 1
  double Gamma(double shape);                       // mean `shape`, scale 1; shape > 0
  int Poisson(double mean);                         // mean >= 0; above 15 a rounded normal with the Poisson's skew
  int NegativeBinomial(double mean, double shape);  // a Poisson whose mean is a gamma of this shape; shape > 0

  // One of the choices, each equally likely.
  double OneOf(std::initializer_list<double> choices);

 private:
  double Tail();  // a normal beyond the ziggurat

  uint64_t state_;
};

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_RANDOM_H_
