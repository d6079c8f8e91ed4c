#include "server/net/rpc/streams/stream_line.h"

#include <algorithm>
#include <utility>

namespace aaren::rpc {

StreamLine::Place::~Place() {
  if (line_ == nullptr) return;
  std::replace(line_->places_.begin(), line_->places_.end(), this, static_cast<Place*>(nullptr));
}

void StreamLine::Place::Join(StreamLine& line) {
  if (in_line()) return;
  line_ = &line;
  line.places_.push_back(this);
}

Stream* StreamLine::Next() {
  if (places_.empty()) return nullptr;
  Place* place = places_.front();
  places_.pop_front();
  if (place == nullptr) return nullptr;
  place->line_ = nullptr;
  return &place->stream_;
}

}  // namespace aaren::rpc
