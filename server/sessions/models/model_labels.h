#ifndef AAREN_SERVER_SESSIONS_MODELS_MODEL_LABELS_H_
#define AAREN_SERVER_SESSIONS_MODELS_MODEL_LABELS_H_

// ModelLabels name versions: `name@label` is the version with the label now. The file `labels` in the models' folder
// has the labels, a label a line, '#' before a comment:
//
//   aaren-univariate@stable  3
//   aaren-univariate@canary  4  5%
//
// At most one label a name has a share: the part of the new sessions opened by the bare name that gets the label's
// version. Threading: a plain value.

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::models {

struct ModelLabel {
  int version = 0;
  double share = 0;  // part of new sessions, 0 to 1
};

struct ModelLabels {
  std::map<std::pair<std::string, std::string>, ModelLabel> by_name;  // by the model's name, then the label

  const ModelLabel* Find(const std::string& name, const std::string& label) const;

  // The label of the name with a share; null if no label has one.
  const ModelLabel* Shared(const std::string& name) const;
};

// The label of sessions opened without a label, and of sessions outside another label's share.
inline constexpr char kStable[] = "stable";
inline constexpr char kLabelsFile[] = "labels";

// InvalidArgument, naming the line.
absl::StatusOr<ModelLabels> ParseLabels(absl::string_view text);

// A number in [0, 1), the same for a session on every server. A number below a label's share gives the label's version.
double DrawOf(absl::string_view session_key);

}  // namespace aaren::models

#endif  // AAREN_SERVER_SESSIONS_MODELS_MODEL_LABELS_H_
