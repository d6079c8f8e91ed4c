#ifndef AAREN_CLIENT_CLI_SOURCES_CSV_CSV_DIALECT_H_
#define AAREN_CLIENT_CLI_SOURCES_CSV_CSV_DIALECT_H_

// FindDialect tells from the first records of a CSV file how the file is written:
//
//   delimiter   , ; tab | or blanks: cuts most records into as many fields, with values in the fields
//   numbers     decimal mark and thousands' mark; numbers that a comma between fields cuts at their decimal comma
//   preamble    lines of text before the header
//   units       a line of text between the header and the first row
//   no header   the first line has values only: names come from a comment above (# date,load), or are
//               "column 1", "column 2"
//
// A file is judged by up to 100 records, a live source by the records that came with the first two. Rejected: a
// library. Debian 12 has neither Arrow nor DuckDB, and its readers of CSV (libcsv, csv-parser of Python or R) find a
// delimiter at most. Threading: plain functions and values.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/sources/csv/csv_cell.h"
#include "client/cli/sources/csv/csv_options.h"
#include "client/cli/sources/csv/csv_record.h"

namespace aaren::cli {

struct CsvDialect {
  char delimiter = ',';
  NumberStyle numbers = {};
  size_t skip = 0;                                  // records up to the header's, without it
  bool has_header = true;                           // behind the skipped records; false: names are made up
  bool has_units = false;                           // another record to skip, behind the header
  std::vector<std::string> header = {};             // the file's text
  size_t halves_from = SIZE_MAX;                    // the fields from here on are halves of numbers, two a column
  std::vector<std::string> names = {};              // without a header: the names in a comment above, if as many
  std::vector<std::vector<std::string>> rows = {};  // some of the first rows, as wide as the header
  std::vector<std::string> remarks = {};            // for the user, a sentence each
};

// Joins halves of numbers: 20 and 00, cut from 20,00, are 20,00 again. Leaves fields that were in quotes.
void JoinHalves(size_t from, std::vector<absl::string_view>& fields);

// INVALID_ARGUMENT for a --delimiter or a --decimal that is none.
absl::Status CheckDialect(const CsvOptions& options);

// Sets the reader's delimiter and lets it pass over comments. REQUIRES: CheckDialect; nothing was read yet.
CsvDialect FindDialect(CsvRecordReader& records, const CsvOptions& options, bool live);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_CSV_CSV_DIALECT_H_
