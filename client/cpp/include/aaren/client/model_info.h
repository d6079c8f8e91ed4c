#ifndef AAREN_CLIENT_MODEL_INFO_H_
#define AAREN_CLIENT_MODEL_INFO_H_

// A model from a client's view. Threading: plain values.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace aaren::client {

// A value of a token.
struct Column {
  enum class Role { kTarget, kPastCovariate, kKnownFutureCovariate, kStatic, kUnknown };  // kUnknown: of a newer server
  std::string name = {};
  Role role = Role::kTarget;
};

inline constexpr char kEventsKind[] = "events", kClassificationKind[] = "classification";

struct ModelInfo {
  std::string name = {};
  uint32_t version = 0;
  std::string digest = {};            // hex SHA-256 of the package
  uint32_t horizon = 0;               // steps ahead
  uint32_t far_horizon = 0;           // steps ahead of sessions created with a step beyond `horizon`; 0: none
  std::vector<float> quantiles = {};  // levels, ascending
  uint64_t row_bytes = 0;             // state of a channel
  std::string description = {};
  std::vector<Column> columns = {};                  // a classifier's targets are the classes
  std::map<std::string, std::string> training = {};  // facts of the training, from the package

  // "forecaster", kEventsKind or kClassificationKind; empty: an old server, whose models are forecasters
  std::string kind = {};
  std::string tier = {};  // for new sessions, for example "exact"

  // The names of a classifier's classes, in the order of their probabilities.
  std::vector<std::string> Classes() const {
    std::vector<std::string> names;
    for (const Column& column : columns) {
      if (column.role == Column::Role::kTarget) names.push_back(column.name);
    }
    return names;
  }

  std::string FullName() const { return name + ":" + std::to_string(version); }  // the form of SessionOptions::model
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_MODEL_INFO_H_
