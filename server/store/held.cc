#include "server/store/held.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace aaren::store {

WriteResult CompareHeld(const std::string& key, const SessionHeader* held, uint64_t expected_epoch) {
  const uint64_t epoch = held == nullptr ? 0 : held->epoch;
  if (epoch == expected_epoch) return {};
  // The writer knew a session, and none is stored: a deletion came between.
  if (epoch == 0) return {absl::AbortedError(absl::StrCat("session '", key, "' was deleted")), 0};
  return {absl::AbortedError(
              absl::StrCat("session '", key, "' is held at epoch ", epoch, ", the writer expects ", expected_epoch)),
          epoch};
}

WriteResult CompareWriter(const SessionHeader* held, const SessionHeader& writer) {
  WriteResult result = CompareHeld(writer.key, held, writer.epoch);
  if (!result.status.ok() || held->incarnation == writer.incarnation) return result;
  return {absl::AbortedError(absl::StrCat("session '", writer.key, "' is another incarnation now")), held->epoch};
}

WriteResult CompareKept(const SessionHeader& held, const std::vector<uint64_t>& seqs, const Kept& kept) {
  const auto aborted = [&held](absl::string_view why) {
    return WriteResult{absl::AbortedError(absl::StrCat("session '", held.key, "' ", why)), held.epoch};
  };
  const uint64_t newest = seqs.empty() ? 0 : seqs.back();
  if (kept.newest_seq && newest != *kept.newest_seq)
    return aborted(absl::StrCat("was saved at ", newest, " meanwhile"));
  if (!kept.keep_seq || std::find(seqs.begin(), seqs.end(), *kept.keep_seq) != seqs.end()) return {};
  // The empty row counts as the save at 0 until a save is durable: so long the client may go back to the beginning.
  const bool empty_row_counts = seqs.empty() || seqs.front() > held.delivered_seq;
  if (*kept.keep_seq == 0 && empty_row_counts) return {};
  return aborted(absl::StrCat("has no save at ", *kept.keep_seq, " any more"));
}

absl::Status NoSuchSession(const std::string& key) {
  return absl::NotFoundError(absl::StrCat("no session '", key, "' in the store"));
}

}  // namespace aaren::store
