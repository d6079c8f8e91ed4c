#include "tests/model/engine/cuda/memory_watch.h"

#include <algorithm>

namespace aaren::engine {

void Raise(Times& times, const Times& to) {
  for (size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], to[i]);
}

bool WatchedThread::Knows(size_t other, const Access& access) const {
  if (access.time == 0) return true;
  // The lanes of a warp meet at the warp's next time.
  if (other == warp) return access.time < times[other] || access.lane == lane;
  return access.time <= clock[other];
}

std::string SharedWatch::Read(const WatchedThread& thread, size_t offset, size_t bytes) {
  const Access now = thread.Now();
  for (size_t i = offset / 4; i < offset / 4 + (bytes + 3) / 4; ++i) {
    Word& word = words_[i];
    if (word.writer < 0) return "a number that was never written is read";
    if (!thread.Knows(static_cast<size_t>(word.writer), word.written)) {
      return "what warp " + std::to_string(word.writer) + " wrote is read, and no barrier lies between";
    }
    Access& read = word.read[thread.warp - first_warp_];
    read = {now.time, read.time == now.time && read.lane != now.lane ? kSeveral : now.lane};
  }
  return "";
}

std::string SharedWatch::Write(const WatchedThread& thread, size_t offset, size_t bytes) {
  for (size_t i = offset / 4; i < offset / 4 + (bytes + 3) / 4; ++i) {
    Word& word = words_[i];
    if (word.writer >= 0 && !thread.Knows(static_cast<size_t>(word.writer), word.written)) {
      return "what another thread wrote is written, and no barrier lies between";
    }
    for (size_t w = 0; w < warps_; ++w) {
      if (!thread.Knows(first_warp_ + w, word.read[w])) {
        return "what warp " + std::to_string(w) + " read is written, and no barrier lies between";
      }
    }
    word.writer = static_cast<int16_t>(thread.warp);
    word.written = thread.Now();
  }
  return "";
}

void SharedWatch::GiveToCopy(size_t offset, size_t bytes, size_t engine, uint32_t time) {
  for (size_t i = offset / 4; i < offset / 4 + bytes / 4; ++i) {
    words_[i].writer = static_cast<int16_t>(engine);
    words_[i].written = {time, 0};
  }
}

void DeviceWatch::Begin(int cluster) {
  cluster_ = cluster;
  for (auto& [at, word] : words_) word.writer = -1, word.read.clear();
}

std::string DeviceWatch::CheckInside(const void* at, size_t bytes) const {
  const auto place = reinterpret_cast<uintptr_t>(at);
  if (pieces_ != nullptr) {
    auto piece = pieces_->upper_bound(place);
    if (piece != pieces_->begin()) {
      --piece;
      if (place + bytes <= piece->first + piece->second) return "";
    }
  }
  return "an access outside of the device's memory";
}

std::string DeviceWatch::Touch(const WatchedThread& thread, const void* at, size_t bytes, bool write) {
  std::string outside = CheckInside(at, bytes);
  if (!outside.empty()) return outside;
  const Access now = thread.Now();
  const auto warp = static_cast<int16_t>(thread.warp);
  for (uintptr_t i = reinterpret_cast<uintptr_t>(at) / 4; i < (reinterpret_cast<uintptr_t>(at) + bytes + 3) / 4; ++i) {
    Word& word = words_[i];
    const bool others = word.cluster >= 0 && (word.cluster != cluster_ || word.shared);
    if (others && (write || word.dirty)) return "another cluster touches the same place of the device's memory";
    word.shared |= others;
    word.cluster = cluster_;
    word.dirty |= write;
    bool known = word.writer < 0 || thread.Knows(static_cast<size_t>(word.writer), word.written);
    for (const auto& [reader, read] : word.read) known &= !write || thread.Knows(static_cast<size_t>(reader), read);
    if (!known) return "the device's memory is used twice, and no barrier lies between";
    if (write) {
      word.writer = warp;
      word.written = now;
      word.read.clear();
    } else if (word.read.empty() || word.read.back().first != warp || word.read.back().second.time != now.time) {
      word.read.emplace_back(warp, now);
    } else if (word.read.back().second.lane != now.lane) {
      word.read.back().second.lane = kSeveral;
    }
  }
  return "";
}

}  // namespace aaren::engine
