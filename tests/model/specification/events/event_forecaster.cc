#include "tests/model/specification/events/event_forecaster.h"

#include <algorithm>

#include "tests/model/specification/bytes.h"
#include "tests/model/specification/events/inputs.h"

namespace aaren::specification::events {
namespace {

void PutMark(const Mark& mark, Bytes& to) {
  to.Put(mark.name);
  to.Put(mark.last_time);
  for (const uint32_t number : {mark.last, mark.first, mark.count}) to.Put(number);
  to.PutAll(mark.often);
  for (const float number : {mark.after_mean, mark.after_variance, mark.gap_mean}) to.Put(number);
  for (const uint8_t number : {mark.after_count, mark.gap_count, mark.successor_count}) to.Put(number);
  to.PutAll(mark.successors);
  to.Skip(5);
}

void PutMemory(const Memory& memory, Bytes& to) {
  to.Put(memory.count);
  to.Put(memory.clock);
  to.Put(memory.epoch);
  to.Put(memory.distinct);
  to.Put(memory.calendar);
  to.Put(static_cast<uint8_t>(memory.marks.size()));
  to.Skip(2);
  to.Put(memory.gap);
  to.Put(memory.log_since_mark);
  to.Put(memory.since_mark);
  to.Put(memory.slot);
  to.Put(memory.before);
  for (const bool flag : {memory.fresh, memory.repeat, memory.tie}) to.Put(flag);
  to.Skip(3);
  to.PutAll(memory.log_gap);
  to.PutAll(memory.square);
  to.Put(memory.ties);
  to.Put(memory.repeats);
  to.PutAll(memory.gaps);
  to.PutAll(memory.trace);
  to.PutAll(memory.cosine);
  to.PutAll(memory.sine);
  to.Put(memory.phases);
  to.PutAll(memory.news);
  to.PutAll(memory.mark_weight);
  to.PutAll(memory.ring);
  to.PutAll(memory.slots);
  for (int i = 17; i < 24; ++i) to.Put(kNone);
  to.PutAll(memory.pairs);
  for (const Mark& mark : memory.marks) PutMark(mark, to);
  for (size_t k = memory.marks.size(); k < 64; ++k) PutMark(Mark(), to);
}

void PutOutlook(const Outlook& outlook, Bytes& to) {
  to.Put(outlook.r);
  to.PutAll(outlook.weight);
  to.PutAll(outlook.at);
  to.PutAll(outlook.spread);
  to.Put(outlook.tie);
  to.Put(outlook.doubt);
  to.Skip(4);
}

}  // namespace

EventReply EventForecaster::Take(int64_t time, uint32_t mark, const Told& told) {
  double gap = 0;
  if (memory_.count == 0) {
    memory_.calendar = time >= 157'680'000'000'000'000;
    if (memory_.calendar) memory_.epoch = static_cast<double>(time) * 1e-9;
    if (told.unit > 0) memory_.Expect(static_cast<double>(told.unit) * 1e-9);
  } else {
    time = std::max(time, newest_);
    gap = static_cast<double>(static_cast<uint64_t>(time) - static_cast<uint64_t>(newest_)) * 1e-9;
  }
  newest_ = time;
  memory_.Take(gap, mark);
  EventReply reply = {.surprise = outlook_.Surprise(gap, static_cast<double>(told.resolution) * 1e-9),
                      .outlook = {},
                      .marks = Vector(65),
                      .names = std::vector<uint32_t>(64)};
  const size_t known = memory_.marks.size();
  for (size_t k = 0; k < known; ++k) reply.names[k] = static_cast<uint32_t>(memory_.marks[k].name);
  if (!memory_.HasScale()) return reply;
  const Places places(memory_);
  const Vector y = network_.Forward(TokenInputs(memory_), places.elapsed);
  outlook_ = Outlook(network_.Product("time", y), places, memory_.r());
  reply.outlook = outlook_;
  const Vector marks = network_.Marks(y, MarkInputs(memory_));
  std::copy_n(marks.begin(), known, reply.marks.begin());
  reply.marks[64] = marks[known];
  return reply;
}

std::vector<std::byte> EventForecaster::Row() const {
  Bytes row;
  row.Put(newest_);
  PutMemory(memory_, row);
  for (const Attention& block : network_.blocks()) {
    row.PutAll(block.o);
    row.PutAll(block.c);
    row.PutAll(block.m);
  }
  PutOutlook(outlook_, row);
  row.Put(uint64_t{0});
  row.PadTo64();
  return row.Take();
}

std::vector<std::byte> EventForecaster::ReplyBytes(const EventReply& reply) {
  Bytes bytes;
  PutOutlook(reply.outlook, bytes);
  bytes.PutAll(reply.marks);
  bytes.PutAll(reply.names);
  bytes.Skip(4);
  return bytes.Take();
}

}  // namespace aaren::specification::events
