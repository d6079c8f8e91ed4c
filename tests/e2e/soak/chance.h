#ifndef AAREN_TESTS_E2E_SOAK_CHANCE_H_
#define AAREN_TESTS_E2E_SOAK_CHANCE_H_

// Chance makes the decisions of one thread of the soak, from the run's seed and the thread's number. Threading: one
// thread.

#include <cstdint>

namespace aaren::soak {

// splitmix64's last step: the same numbers on every machine.
inline uint64_t Mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

class Chance {
 public:
  Chance(uint64_t seed, uint64_t thread) : state_(Mix(seed) ^ Mix(~thread)) {}

  // 0 .. n - 1.
  uint64_t Draw(uint64_t n) { return (state_ = Mix(state_)) % n; }
  bool OneIn(uint64_t n) { return Draw(n) == 0; }

  // 1 .. most, small numbers more often: every power of two is as likely as the next.
  uint64_t Size(uint64_t most) {
    uint64_t bits = 0;
    while ((uint64_t{1} << (bits + 1)) <= most) ++bits;
    const uint64_t size = (uint64_t{1} << Draw(bits + 1)) + Draw(uint64_t{1} << Draw(bits + 1));
    return size < most ? size : most;
  }

 private:
  uint64_t state_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_CHANCE_H_
