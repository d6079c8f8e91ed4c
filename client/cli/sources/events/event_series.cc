#include "client/cli/sources/events/event_series.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "client/cli/sources/csv/csv.h"

namespace aaren::cli {
namespace {

std::string Events(size_t count) { return absl::StrCat(count, count == 1 ? " event" : " events"); }

void Order(EventSeries& series) {
  std::vector<Event>& events = series.events;
  const auto earlier = [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; };
  if (series.late > 0) std::stable_sort(events.begin(), events.end(), earlier);
  for (size_t i = 1; i < events.size(); ++i) series.together += events[i].time_ns == events[i - 1].time_ns ? 1 : 0;
}

}  // namespace

std::vector<std::string> EventSeries::Remarks() const {
  std::vector<std::string> remarks;
  if (late > 0) remarks.push_back(absl::StrCat(Events(late), " stood behind later ones: sorted by time"));
  if (together > 0) {
    remarks.push_back(absl::StrCat(Events(together), " at the time of the event before: the order of the file counts"));
  }
  return remarks;
}

absl::StatusOr<std::vector<EventSeries>> ReadEventFile(const std::string& path, const EventFileOptions& options,
                                                       bool stop_at_late) {
  absl::StatusOr<ByteSource> bytes = OpenBytes(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<std::unique_ptr<EventReader>> reader =
      EventReader::Open(path, *std::move(bytes), options, /*live=*/false);
  if (!reader.ok()) return reader.status();
  std::vector<EventSeries> all;
  absl::flat_hash_map<std::string, size_t> places;
  absl::StatusOr<bool> any;
  for (Event event; (any = (*reader)->Next(event)).ok() && *any;) {
    const auto [place, added] = places.try_emplace(event.series, all.size());
    if (added) all.push_back({.name = event.series, .events = {}});
    EventSeries& series = all[place->second];
    if (!series.events.empty() && event.time_ns < series.events.back().time_ns) {
      ++series.late;
      if (stop_at_late) {
        return (*reader)->Error(absl::StrCat("line ", event.line, ": \"", event.time,
                                             "\" is late: a later event stands before it; --late=skip sorts the file"));
      }
    }
    series.events.push_back(std::move(event));
  }
  if (!any.ok()) return any.status();
  if (all.empty()) return (*reader)->Error("no events");
  for (EventSeries& series : all) Order(series);
  return all;
}

}  // namespace aaren::cli
