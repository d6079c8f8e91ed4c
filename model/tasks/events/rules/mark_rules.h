#ifndef AAREN_MODEL_TASKS_EVENTS_RULES_MARK_RULES_H_
#define AAREN_MODEL_TASKS_EVENTS_RULES_MARK_RULES_H_

// Simple rules that forecast the next mark from the marks of a session so far: a probability for each mark seen, and
// for "new".

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace aaren::events {

struct MarkForecast {
  std::map<uint64_t, double> known;
  double fresh = 1;
};

// The counts of marks from which all rules forecast.
class MarkRules {
 public:
  void Observe(uint64_t mark);

  MarkForecast Frequency() const;    // 0.995 is kept per event
  MarkForecast Transitions() const;  // after the mark before, 0.9 is kept; drawn towards the frequencies
  MarkForecast Repeat() const;       // the mark before again, or by frequency; 0.97 is kept

  static std::vector<std::pair<std::string, MarkForecast (MarkRules::*)() const>> All();

 private:
  double events_ = 0, fresh_ = 0;  // running weights
  double repeats_ = 0, chances_ = 0;
  uint64_t last_ = 0;
  std::map<uint64_t, double> counts_;
  std::map<uint64_t, std::map<uint64_t, double>> after_;
};

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_RULES_MARK_RULES_H_
