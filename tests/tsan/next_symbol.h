#ifndef AAREN_TESTS_TSAN_NEXT_SYMBOL_H_
#define AAREN_TESTS_TSAN_NEXT_SYMBOL_H_

// The function that a program would call if it did not define one of the same name itself.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace aaren {

// Function is a pointer's type. Ends the program if no library has the symbol: what stands before it cannot do its work
// then.
template <typename Function>
Function NextSymbol(const std::string& name) {
  void* symbol = dlsym(RTLD_NEXT, name.c_str());
  if (symbol == nullptr) {
    std::fprintf(stderr, "tests/tsan: no library has %s\n", name.c_str());
    std::abort();
  }
  return reinterpret_cast<Function>(symbol);
}

}  // namespace aaren

#endif  // AAREN_TESTS_TSAN_NEXT_SYMBOL_H_
