#ifndef AAREN_CLIENT_CLI_STREAM_ROW_LINES_H_
#define AAREN_CLIENT_CLI_STREAM_ROW_LINES_H_

#include <string>

#include "aaren/client/forecast.h"
#include "client/cli/sources/row_source.h"

namespace aaren::cli {

// RowLines write the forecast after a row as lines of text. Threading: a plain value.
class RowLines {
 public:
  virtual ~RowLines() = default;

  // Appends whole lines to `out`. REQUIRES: the forecast is of the session's shape.
  virtual void Append(const Row& row, const client::Forecast& forecast, std::string& out) const = 0;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_ROW_LINES_H_
