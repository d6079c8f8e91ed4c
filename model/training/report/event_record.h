#ifndef AAREN_MODEL_TRAINING_REPORT_EVENT_RECORD_H_
#define AAREN_MODEL_TRAINING_REPORT_EVENT_RECORD_H_

#include <map>
#include <string>

#include "model/training/events/event_trainer.h"
#include "model/training/report/run_record.h"

namespace aaren::training {

// The training summary in the model.json of a forecaster of events.
std::map<std::string, std::string> EventTrainingSummary(const RunRecord& record, const EventTrainResult& result);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_EVENT_RECORD_H_
