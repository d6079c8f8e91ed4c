#ifndef AAREN_SERVER_STORE_FORMAT_STORED_HEADER_H_
#define AAREN_SERVER_STORE_FORMAT_STORED_HEADER_H_

// The header of a session in a key-value store, stored beside the session's rows. The rows of a session are in one or
// two slots, each under a key of its own: a save writes one slot and the header, an Open only the header. Position,
// length and checksum in the header let readers trust each slot's rows.
//
// Layout, as in fields.h: uint8 version · uint64 epoch · uint64 incarnation · origin · uint64 delivered_seq ·
//   uint64 writer · uint64 number · int64 last active, Unix ms · string server · int64 leased until, Unix ms ·
//   uint8 slots, for each: uint8 slot · point · uint64 bytes of rows · uint64 XXH3 of rows ·
//   then the XXH3, 64 bits, of all before, as in every version: a damaged header is told from a newer one
//
// A store that compares headers itself cannot write slots into the header. Slots then stand apart, each as above and
// followed by the slot's own XXH3.
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

// DataLoss for bytes not written by EncodeHeader; FailedPrecondition for another version.
absl::StatusOr<StoredHeader> ParseHeader(const std::string& key, absl::string_view bytes);

// The record of a session as far as the header tells, without the rows.
SessionRecord WithoutRows(const StoredHeader& header);

std::string EncodeSlot(const StoredSlot& slot);
absl::StatusOr<StoredSlot> ParseSlot(const std::string& key, absl::string_view bytes);

StoredSlot SlotOf(uint8_t slot, const SavedRows& save);

// DataLoss if `rows` are not the rows of the slot.
absl::Status CheckSlot(const std::string& key, const StoredSlot& slot, absl::string_view rows);

// The header after a write: `header` over the stored header `held` (null: nothing), whose newest save not above
// keep_seq stays. New saves go to the free slots, in order.
StoredHeader HeaderAfter(const StoredHeader* held, SessionHeader header, std::optional<uint64_t> keep_seq,
                         const std::vector<SavedRows>& saves);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_FORMAT_STORED_HEADER_H_
