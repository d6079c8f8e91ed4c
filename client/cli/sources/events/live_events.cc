#include "client/cli/sources/events/live_events.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::cli {

absl::StatusOr<bool> LiveEvents::Next(Row& row) {
  for (Event event;;) {
    const absl::StatusOr<bool> any = reader_->Next(event);
    if (!any.ok() || !*any) return any;
    if (!series_) series_ = event.series;
    if (event.series != *series_) {
      return reader_->Error(absl::StrCat("line ", event.line, ": series \"", event.series, "\" beside \"", *series_,
                                         "\": a session for each series takes --events=FILE, no pipe"));
    }
    if (behind_ns_ && event.time_ns <= *behind_ns_) {
      ++known_;
    } else if (last_ns_ && event.time_ns < *last_ns_) {
      ++late_;
      if (!stop_at_late_) continue;
      return reader_->Error(absl::StrCat("line ", event.line, ": \"", event.time,
                                         "\" is late: a later event has passed; --late=skip leaves such events out"));
    } else {
      if (last_ns_ == event.time_ns) ++together_;
      last_ns_ = event.time_ns;
      ++next_seq_;
      row = {.time = std::move(event.time), .time_ns = event.time_ns, .values = {}, .mark = std::move(event.mark)};
      return true;
    }
  }
}

absl::StatusOr<std::string> LiveEvents::GoOn(const SessionPlace& place) {
  next_seq_ = place.next_seq;
  behind_ns_ = place.last_time_ns;
  if (!behind_ns_) return std::string();
  return absl::StrCat(", with the events of ", reader_->name(), " behind ", reader_->Written(*behind_ns_));
}

absl::Status LiveEvents::Seek(uint64_t seq) {
  if (seq == next_seq_) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(reader_->name(), " cannot be read again from event ", seq));
}

std::vector<std::string> LiveEvents::Summary() const {
  std::vector<std::string> said;
  const EventFaults& faults = reader_->faults();
  const auto say = [&](uint64_t count, auto... what) {
    if (count > 0)
      said.push_back(absl::StrCat(reader_->name(), ": ", count, count == 1 ? " event" : " events", what...));
  };
  say(known_, " left out that the session has already");
  say(late_, " left out for being late: a later event had passed");
  say(together_, " at the time of the event before: the order of arrival counts");
  say(faults.rows, " left out that could not be read; the first: ", faults.first);
  return said;
}

}  // namespace aaren::cli
