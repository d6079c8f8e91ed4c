#ifndef AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_MEMORY_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_MEMORY_H_

// Sections E2 and E3 of model/engine/events/RULES.md: what a stream leaves behind, apart from attention.

#include <array>
#include <cstdint>
#include <vector>

namespace aaren::specification::events {

inline constexpr uint8_t kNone = 255;                                         // E2.2
inline constexpr float kAbsent = -1e30f, kTied = -2e30f;                      // E2.3
inline constexpr double kLeastTime = 1e-12;                                   // E0.6
inline constexpr double kPeriods[5] = {86400, 43200, 28800, 604800, 302400};  // E0.7

// E2.4
struct Mean {
  double sum = 0, weight = 0;

  void Add(double value, double keep);
  double Value() const { return weight > 0 ? sum / weight : 0; }
};

// E11.1
struct Mark {
  uint64_t name = 0;
  double last_time = 0;
  uint32_t last = 0, first = 0, count = 0;
  std::array<float, 2> often = {};
  float after_mean = 0, after_variance = 0, gap_mean = 0;
  uint8_t after_count = 0, gap_count = 0, successor_count = 0;
  std::vector<uint8_t> successors = std::vector<uint8_t>(8, kNone);
};

class Memory {
 public:
  Memory();

  void Expect(double interval);          // E2.10
  void Take(double gap, uint64_t name);  // E3.5-E3.23
  bool HasScale() const { return log_gap[0].weight > 0; }
  double r() const { return log_gap[0].Value(); }     // E2.5
  const Mark& Newest() const { return marks[slot]; }  // the mark of the newest event
  static uint8_t Pair(uint8_t a, uint8_t b) { return static_cast<uint8_t>(a * 37 + b); }  // E2.8
  static float Kept(int k, uint32_t events);                                              // E2.7

  // In the order of the row (E11).
  uint64_t count = 0;
  double clock = 0, epoch = 0;
  uint32_t distinct = 0;
  bool calendar = true;
  double gap = 0;
  float log_since_mark = 0;
  uint32_t since_mark = 0;
  uint8_t slot = kNone, before = kNone;
  bool fresh = false, repeat = false, tie = false;
  std::array<Mean, 5> log_gap;
  std::array<double, 2> square = {};
  Mean ties, repeats;
  std::array<Mean, 3> gaps;
  std::array<double, 10> trace = {};
  std::array<double, 5> cosine = {}, sine = {};
  double phases = 0;
  std::array<Mean, 2> news;
  std::array<double, 2> mark_weight = {};
  std::vector<float> ring;     // 16, the newest first
  std::vector<uint8_t> slots;  // 17, the newest first
  std::vector<uint8_t> pairs;  // 256
  std::vector<Mark> marks;     // the slots in use; at most 64

 private:
  void TurnBack();                   // E3.6, E3.7
  void TakeGap();                    // E3.8-E3.12
  void TakeLog(double x);            // E3.10, E3.11
  uint8_t SlotFor(uint64_t name);    // E3.13-E3.15
  void TakeSuccessor(uint8_t next);  // E3.16
  void TakeMark(uint64_t name);      // E3.13-E3.22
};

}  // namespace aaren::specification::events

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_MEMORY_H_
