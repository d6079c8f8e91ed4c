#include "client/cli/sources/events/file_events.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::cli {

FileEvents::FileEvents(std::string name, const EventSeries& series, bool from_start)
    : name_(std::move(name)),
      series_(series),
      from_start_(from_start),
      columns_({series.name.empty() ? "events" : series.name}) {}

absl::StatusOr<bool> FileEvents::Next(Row& row) {
  if (next_ == series_.events.size()) return false;
  const Event& event = series_.events[next_++];
  row = {.time = event.time, .time_ns = event.time_ns, .values = {}, .mark = event.mark};
  return true;
}

absl::StatusOr<std::string> FileEvents::GoOn(const SessionPlace& place) {
  const std::vector<Event>& events = series_.events;
  const uint64_t seq = place.next_seq;
  const bool whole = seq <= events.size() && seq > 0 && place.last_time_ns &&
                     events[static_cast<size_t>(seq) - 1].time_ns == *place.last_time_ns;
  if (seq == 0 || (whole && !from_start_)) {
    next_ = static_cast<size_t>(seq);
    return std::string();
  }
  if (from_start_) {
    if (place.last_time_ns && events.front().time_ns < *place.last_time_ns) {
      return absl::InvalidArgumentError(absl::StrCat(
          name_, " begins at \"", events.front().time,
          "\", before the session's last event; without --from_start the session takes the events behind that time"));
    }
    base_seq_ = seq;
    return absl::StrCat("; ", name_, " is taken from its first event");
  }
  // The record has forecasts of events that the server has lost, and this file may not have the events.
  if (place.delivered_seq > seq) {
    return absl::DataLossError(absl::StrCat("the server went back to event ", seq, ", and ", name_,
                                            " is not the file with it; stream that file once more"));
  }
  const auto behind = std::find_if(events.begin(), events.end(), [&](const Event& event) {
    return !place.last_time_ns || event.time_ns > *place.last_time_ns;
  });
  skipped_ = next_ = static_cast<size_t>(behind - events.begin());
  base_seq_ = seq;
  return absl::StrCat(", with the events of ", name_, " behind the time of its last");
}

absl::Status FileEvents::Seek(uint64_t seq) {
  const uint64_t base = base_seq_, size = series_.events.size() - skipped_;
  if (seq < base) {
    return absl::DataLossError(
        absl::StrCat("the server wants event ", seq, " again, and ", name_, " begins with event ", base));
  }
  if (seq - base > size) {
    return absl::OutOfRangeError(
        absl::StrCat(name_, " ends after ", base + size, " events; event ", seq, " is wanted"));
  }
  next_ = skipped_ + static_cast<size_t>(seq - base);
  return absl::OkStatus();
}

std::vector<std::string> FileEvents::Summary() const {
  std::vector<std::string> said = series_.Remarks();
  if (skipped_ > 0) said.push_back(absl::StrCat(skipped_, " events left out that the session has already"));
  for (std::string& sentence : said) sentence = absl::StrCat(name_, ": ", sentence);
  return said;
}

}  // namespace aaren::cli
