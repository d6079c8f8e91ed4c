#ifndef AAREN_SERVER_STORE_FORMAT_STORED_HEADER_H_
#define AAREN_SERVER_STORE_FORMAT_STORED_HEADER_H_

// A session's header as a key-value store keeps it, beside its rows. The rows of a session are in one or two slots,
// each under a key of its own. So a save writes one slot and the header, and an Open only the header. The header has
// what is needed to trust the slots: where each stands, how long its rows are, and their checksum.
//
// Layout, as in fields.h: uint8 version · uint64 epoch · uint64 incarnation · origin · uint64 delivered_seq ·
//   uint64 writer · uint64 number · int64 last active, Unix ms · string server · int64 leased until, Unix ms ·
//   uint8 slots, of each: uint8 slot · point · uint64 bytes of rows · uint64 XXH3 of rows ·
//   then the XXH3, 64 bits, of all before, as in every version: what is damaged is told from what is newer
//
// A store that compares headers itself cannot write slots into one. It keeps them apart, each as above and followed by
// the XXH3 of it.
//
// Threading: plain values.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/store.h"

namespace aaren::store {

struct StoredSlot {
  uint8_t slot = 0;  // 0 or 1
  SessionPoint point;
  uint64_t bytes = 0;
  uint64_t checksum = 0;
};

struct StoredHeader : SessionHeader {
  std::vector<StoredSlot> slots;  // in order of seq
};

std::string EncodeHeader(const StoredHeader& header);

// DataLoss for bytes that EncodeHeader did not write; FailedPrecondition for another version than this one.
absl::StatusOr<StoredHeader> ParseHeader(const std::string& key, absl::string_view bytes);

// What is known without the rows.
SessionRecord WithoutRows(const StoredHeader& header);

std::string EncodeSlot(const StoredSlot& slot);
absl::StatusOr<StoredSlot> ParseSlot(const std::string& key, absl::string_view bytes);

StoredSlot SlotOf(uint8_t slot, const SavedRows& save);

// DataLoss if they are not the rows that the slot was made of.
absl::Status CheckSlot(const std::string& key, const StoredSlot& slot, absl::string_view rows);

// The header after a write: `header` over what `held` (null: nothing) has, whose save at keep_seq stays; the saves go
// to the slots that are free then, in their order.
StoredHeader HeaderAfter(const StoredHeader* held, SessionHeader header, std::optional<uint64_t> keep_seq,
                         const std::vector<SavedRows>& saves);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_FORMAT_STORED_HEADER_H_
