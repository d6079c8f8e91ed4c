#ifndef AAREN_CLIENT_CLI_STREAM_CLASS_LINES_H_
#define AAREN_CLIENT_CLI_STREAM_CLASS_LINES_H_

// Writes what a classifier knows after a row as a line of JSON or of words, always the same bytes for the same reply:
//
//   {"seq":7,"time":"2024-01-01 07:00","series":"x,y,z","class":"walk","probability":0.93,
//    "probabilities":{"run":0.07,"walk":0.93}}
//   2024-01-01 07:00  walk 93 %, run 7 %
//
// "series" has the names of all channels, which make one series. "class" is the likeliest class, the first of equals.
// time is null without a time column, and words then begin with "row 7". Words name the three likeliest classes.
// Threading: a plain value.

#include <string>
#include <vector>

#include "aaren/client/forecast.h"
#include "absl/strings/str_join.h"
#include "client/cli/sources/row_source.h"
#include "client/cli/stream/row_lines.h"

namespace aaren::cli {

class ClassLines : public RowLines {
 public:
  // words: for people, instead of JSON.
  ClassLines(const std::vector<std::string>& channels, std::vector<std::string> classes, bool has_times, bool words)
      : series_(SeriesOf(channels)), classes_(std::move(classes)), has_times_(has_times), words_(words) {}

  static std::string SeriesOf(const std::vector<std::string>& channels) { return absl::StrJoin(channels, ","); }

  // REQUIRES: forecast.values is [classes].
  void Append(const Row& row, const client::Forecast& forecast, std::string& out) const override;

 private:
  void AppendObject(const Row& row, const client::Forecast& forecast, std::string& out) const;
  void AppendWords(const Row& row, const client::Forecast& forecast, std::string& out) const;

  const std::string series_;
  const std::vector<std::string> classes_;
  const bool has_times_, words_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_CLASS_LINES_H_
