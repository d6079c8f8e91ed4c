#ifndef AAREN_TESTS_TSAN_NEXT_SYMBOL_H_
#define AAREN_TESTS_TSAN_NEXT_SYMBOL_H_

// Finds the function that a program would call without its own function of the same name.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace aaren {

// Function is a pointer's type. Ends the program if no library has the symbol: the wrapper cannot do its work
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
