#include "model/training/report/event_record.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace aaren::training {

std::map<std::string, std::string> EventTrainingSummary(const RunRecord& record, const EventTrainResult& result) {
  return {{"code_version", record.code_version},
          {"command", record.command},
          {"data", record.data},
          {"date", record.date},
          {"held_out_mark_loss", absl::StrFormat("%.5f", result.held_out.mark)},
          {"held_out_time_loss", absl::StrFormat("%.5f", result.held_out.time)},
          {"machine", record.machine},
          {"parameters", absl::StrCat(result.parameters)},
          {"seconds", absl::StrFormat("%.0f", result.seconds)},
          {"seed", absl::StrCat(record.seed)},
          {"steps", absl::StrCat(result.steps)}};
}

}  // namespace aaren::training
