#include "server/admin/profile/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/types/span.h"

namespace aaren::admin {
namespace {

// The program is the first that is told of.
int TakeBase(dl_phdr_info* info, size_t, void* base) {
  *static_cast<uint64_t*>(base) = info->dlpi_addr;
  return 1;
}

// `count` values at an offset of the file; empty if they are not all in it.
template <typename T>
absl::Span<const T> At(const char* file, uint64_t size, uint64_t offset, uint64_t count) {
  if (offset > size || count > (size - offset) / sizeof(T)) return {};
  return {reinterpret_cast<const T*>(file + offset), static_cast<size_t>(count)};
}

}  // namespace

ElfSymbols::ElfSymbols() {
  dl_iterate_phdr(TakeBase, &base_);
  Map();
  if (file_ != nullptr) Read();
}

ElfSymbols::~ElfSymbols() {
  if (file_ != nullptr) munmap(const_cast<char*>(file_), size_);
}

void ElfSymbols::Map() {
  const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
    size_ = static_cast<uint64_t>(status.st_size);
    void* mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped != MAP_FAILED) file_ = static_cast<const char*>(mapped);
  }
  if (fd >= 0) close(fd);
}

void ElfSymbols::Read() {
  const auto header = At<Elf64_Ehdr>(file_, size_, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return;
  const auto sections = At<Elf64_Shdr>(file_, size_, header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    const auto names = At<char>(file_, size_, strings.sh_offset, strings.sh_size);
    if (names.empty() || names.back() != '\0') return;
    for (const auto& symbol : At<Elf64_Sym>(file_, size_, section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || symbol.st_name >= names.size()) continue;
      functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, names.data() + symbol.st_name});
    }
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& a, const Function& b) { return a.begin < b.begin; });
}

absl::string_view ElfSymbols::Find(const void* address) const {
  const uint64_t at = reinterpret_cast<uint64_t>(address) - base_;
  const auto next = std::upper_bound(functions_.begin(), functions_.end(), at,
                                     [](uint64_t value, const Function& function) { return value < function.begin; });
  if (next == functions_.begin() || at >= std::prev(next)->end) return {};
  return std::prev(next)->name;
}

}  // namespace aaren::admin
