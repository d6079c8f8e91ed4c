#ifndef AAREN_SERVER_MODELS_MODEL_LABELS_H_
#define AAREN_SERVER_MODELS_MODEL_LABELS_H_

// ModelLabels name versions: `name@label` is the version that the label has now. They are written in the file `labels`
// of the models' folder, a label a line, '#' before a comment:
//
//   aaren-univariate@stable  3
//   aaren-univariate@canary  4  5%
//
// The share, of at most one label a name, goes to that version of the new sessions that are opened by the bare name.
// Threading: a plain value.

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::models {

struct ModelLabel {
  int version = 0;
  double share = 0;  // of new sessions, 0 to 1
};

struct ModelLabels {
  std::map<std::pair<std::string, std::string>, ModelLabel> by_name;  // by the model's name, then the label

  const ModelLabel* Find(const std::string& name, const std::string& label) const;

  // The label of the name with a share; null if there is none.
  const ModelLabel* Shared(const std::string& name) const;
};

// What stays when nothing was said, and where others go than to the label with a share.
inline constexpr char kStable[] = "stable";
inline constexpr char kLabelsFile[] = "labels";

// InvalidArgument, naming the line.
absl::StatusOr<ModelLabels> ParseLabels(absl::string_view text);

// A number in [0, 1) that is the same for the same session on every server: the label's, if it is below its share.
double DrawOf(absl::string_view session_key);

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_MODEL_LABELS_H_
