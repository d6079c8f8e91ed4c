#ifndef AAREN_TESTS_CLIENT_CLI_SOURCES_EVENTS_MARKS_OF_H_
#define AAREN_TESTS_CLIENT_CLI_SOURCES_EVENTS_MARKS_OF_H_

#include <string>

#include "client/cli/sources/row_source.h"

namespace aaren::cli {

// The marks of all rows that the source still has, one after another.
inline std::string MarksOf(RowSource& source) {
  std::string marks;
  for (Row row; *source.Next(row);) marks += row.mark;
  return marks;
}

}  // namespace aaren::cli

#endif  // AAREN_TESTS_CLIENT_CLI_SOURCES_EVENTS_MARKS_OF_H_
