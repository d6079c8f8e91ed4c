#ifndef AAREN_SERVER_ADMIN_PROFILE_ELF_SYMBOLS_H_
#define AAREN_SERVER_ADMIN_PROFILE_ELF_SYMBOLS_H_

// ElfSymbols are the names of the functions of this very program, from the symbol table of its file. dladdr knows
// those alone that libraries may call, and a program exports none. Where the file was stripped there are none.
// Threading: const methods from any thread.

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace aaren::admin {

class ElfSymbols {
 public:
  ElfSymbols();  // of /proc/self/exe
  ~ElfSymbols();
  ElfSymbols(const ElfSymbols&) = delete;
  ElfSymbols& operator=(const ElfSymbols&) = delete;

  // The linker's name of the function that has this address; empty if none is known. Good as long as this.
  absl::string_view Find(const void* address) const;

 private:
  struct Function {
    uint64_t begin = 0, end = 0;  // as the file has them
    const char* name = nullptr;
  };

  void Map();
  void Read();

  const char* file_ = nullptr;
  uint64_t size_ = 0;
  uint64_t base_ = 0;                // where address 0 of the file is
  std::vector<Function> functions_;  // by address
};

}  // namespace aaren::admin

#endif  // AAREN_SERVER_ADMIN_PROFILE_ELF_SYMBOLS_H_
