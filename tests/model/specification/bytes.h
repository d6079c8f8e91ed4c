#ifndef AAREN_TESTS_MODEL_SPECIFICATION_BYTES_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_BYTES_H_

// Bytes are a row under way: numbers one behind the other, little-endian and without gaps.

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace aaren::specification {

class Bytes {
 public:
  template <typename T>
  void Put(const T& number) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(&bytes_[at], &number, sizeof(T));
  }
  void PutAll(const auto& numbers) {
    for (const auto& number : numbers) Put(number);
  }
  void Skip(size_t zeros) { bytes_.resize(bytes_.size() + zeros); }
  void PadTo64() { bytes_.resize((bytes_.size() + 63) / 64 * 64); }
  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_BYTES_H_
