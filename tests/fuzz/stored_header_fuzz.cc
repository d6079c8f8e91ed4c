// A session's header and slots in a store, unchanged and with a matching checksum: a parsed header is written and read
// again unchanged. Times beyond Abseil's range are its last times.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string>

#include "server/store/format/fields.h"
#include "server/store/format/stored_header.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

void RunHeaderAndSlot(absl::string_view bytes) {
  const auto header = store::ParseHeader("key", bytes);
  if (header.ok()) {
    const std::string written = store::EncodeHeader(*header);
    const auto again = store::ParseHeader("key", written);
    Must(again.ok() && store::EncodeHeader(*again) == written, "a header comes back as another");
    Must(header->slots.size() <= 2, "a header has more slots than there are");
  }
  const auto slot = store::ParseSlot("key", bytes);
  if (slot.ok()) Must(store::EncodeSlot(*slot) == bytes, "a slot is written as other bytes");
}

}  // namespace

void RunStoredHeader(absl::string_view bytes) {
  RunHeaderAndSlot(bytes);
  std::string whole(bytes);
  store::Put(whole, static_cast<uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
  RunHeaderAndSlot(whole);
}

}  // namespace aaren::fuzz
