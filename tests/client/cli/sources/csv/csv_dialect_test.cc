// Different spellings of a table are read as the same table.

#include "client/cli/sources/csv/csv_dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/cli/sources/csv/csv.h"
#include "client/cli/sources/text_bytes.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
  std::vector<int64_t> seconds;  // since the first time
  std::string remarks;
};

ByteSource Once(std::string text) {
  return [text = std::move(text), at = size_t{0}](char* buffer, size_t size) mutable -> absl::StatusOr<size_t> {
    const size_t bytes = text.copy(buffer, std::min<size_t>(size, 7), at);
    at += bytes;
    return bytes;
  };
}

Table ReadTable(const std::string& text, const CsvOptions& options = {}) {
  Table table;
  auto reader = CsvReader::Open("t.csv", Once(text), options);
  EXPECT_TRUE(reader.ok()) << reader.status() << "\n" << text;
  if (!reader.ok()) return table;
  table.columns = (*reader)->columns();
  for (const std::string& remark : (*reader)->remarks()) absl::StrAppend(&table.remarks, remark, "\n");
  CsvRow row;
  absl::StatusOr<bool> any;
  int64_t first = 0;
  while ((any = (*reader)->Next(row)).ok() && *any) {
    if (table.rows.empty()) first = row.time_ns;
    table.rows.push_back(row.values);
    table.seconds.push_back((row.time_ns - first) / 1'000'000'000);
  }
  EXPECT_TRUE(any.ok()) << any.status() << "\n" << text;
  return table;
}

constexpr char kTable[] =
    "date,temp,hum\n2024-01-01 00:00,20.5,80\n2024-01-01 01:00,-21.25,81.5\n2024-01-01 02:00,22.75,82\n";

void ExpectTheTable(const Table& table) {
  EXPECT_THAT(table.columns, ElementsAre("temp", "hum"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre(20.5, 80), ElementsAre(-21.25, 81.5), ElementsAre(22.75, 82)));
  EXPECT_THAT(table.seconds, ElementsAre(0, 3600, 7200));
}

TEST(CsvDialectTest, DelimitersAreFound) {
  for (const char* delimiter : {",", ";", "\t", "|"}) {
    ExpectTheTable(ReadTable(absl::StrReplaceAll(kTable, {{",", delimiter}})));
  }
}

TEST(CsvDialectTest, DecimalCommasAreFound) {
  for (const char* delimiter : {";", "\t", "|"}) {
    const std::string text = absl::StrReplaceAll(kTable, {{",", delimiter}, {".", ","}});
    const Table table = ReadTable(text);
    ExpectTheTable(table);
    EXPECT_THAT(table.remarks, HasSubstr("numbers have a decimal comma"));
  }
  ExpectTheTable(
      ReadTable("date,temp,hum\n2024-01-01 00:00,\"20,5\",80\n2024-01-01 01:00,\"-21,25\",\"81,5\"\n2024-01-01 "
                "02:00,\"22,75\",82\n"));
}

TEST(CsvDialectTest, ThousandsAreRead) {
  EXPECT_THAT(ReadTable("a;b\n1.234,5;1.000.000\n1.300,5;2.000.000\n").rows,
              ElementsAre(ElementsAre(1234.5, 1e6), ElementsAre(1300.5, 2e6)));
  EXPECT_THAT(ReadTable("a,b\n\"1,234\",\"$1,000,000.50\"\n7,8\n").rows,
              ElementsAre(ElementsAre(1234, 1000000.5), ElementsAre(7, 8)));
  EXPECT_THAT(ReadTable("a;b\n1 234,5;12 %\n1\u00A0300,5;\u22128,5\n").rows,
              ElementsAre(ElementsAre(1234.5, 12), ElementsAre(1300.5, -8.5)));
}

TEST(CsvDialectTest, OneColumnMayHaveDecimalCommas) {
  EXPECT_THAT(ReadTable("temp\n20,00\n21,25\n").rows, ElementsAre(ElementsAre(20), ElementsAre(21.25)));
}

TEST(CsvDialectTest, NumbersCutAtTheirDecimalCommasAreJoined) {
  ExpectTheTable(
      ReadTable("date,temp,hum\n2024-01-01 00:00,20,50,80,00\n2024-01-01 01:00,-21,25,81,50\n"
                "2024-01-01 02:00,22,75,82,00\n"));
  EXPECT_THAT(ReadTable("a,b\n1,05,2,5\n3,10,4,5\n,,4,5\n1,05,2,5\n").rows[0], ElementsAre(1.05, 2.5));
}

TEST(CsvDialectTest, WholeNumbersWithoutANameAreNotTakenForHalves) {
  for (const absl::string_view rows : {"2024-01-01,20,10\n2024-01-02,21,11\n2024-01-03,22,12\n",
                                       "2024-01-01,20,00\n2024-01-02,21,5\n2024-01-03,22,12\n"}) {
    auto reader = CsvReader::Open("t.csv", Once(absl::StrCat("date,a\n", rows)), {});
    CsvRow row;
    ASSERT_TRUE(reader.ok()) << reader.status();
    EXPECT_THAT(std::string((*reader)->Next(row).status().message()), HasSubstr("has 3 fields; the header has 2"));
  }
}

TEST(CsvDialectTest, BlanksPartFieldsWhereNothingElseDoes) {
  EXPECT_THAT(ReadTable("date   temp\n2024-01-01  20.5\n2024-01-02 21\n").rows,
              ElementsAre(ElementsAre(20.5), ElementsAre(21)));
}

TEST(CsvDialectTest, DelimiterAndDecimalMayBeSaid) {
  EXPECT_THAT(ReadTable("a:b\n1:2\n", {.delimiter = ":"}).rows, ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(ReadTable("a;b\n1,234;2\n", {.decimal = "."}).rows, ElementsAre(ElementsAre(1234, 2)));
  EXPECT_FALSE(CheckCsvOptions({.delimiter = "ab"}).ok());
  EXPECT_FALSE(CheckCsvOptions({.decimal = ";"}).ok());
}

std::string Utf16(const std::string& ascii, bool big, bool mark) {
  std::string bytes = !mark ? "" : big ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : ascii) bytes += big ? std::string({'\0', c}) : std::string({c, '\0'});
  return bytes;
}

std::string Gzip(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(1000 + text.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(CsvDialectTest, EncodingsAreFound) {
  ExpectTheTable(ReadTable(absl::StrCat("\xEF\xBB\xBF", kTable)));
  for (const bool big : {false, true}) {
    for (const bool mark : {false, true}) ExpectTheTable(ReadTable(Utf16(kTable, big, mark)));
  }
}

TEST(CsvDialectTest, GzipIsUnpackedMemberByMember) {
  ExpectTheTable(ReadTable(Gzip(kTable)));
  const std::string text = kTable;
  ExpectTheTable(ReadTable(Gzip(text.substr(0, 40)) + Gzip(text.substr(40))));
  ExpectTheTable(ReadTable(Gzip(Utf16(kTable, false, true))));
}

TEST(CsvDialectTest, SpreadsheetAndDamagedGzipAreNamed) {
  for (const std::string& bytes : {std::string("PK\x03\x04xxxx"), Gzip(kTable).substr(0, 40)}) {
    ByteSource text = TextBytes([bytes, done = false](char* buffer, size_t size) mutable -> absl::StatusOr<size_t> {
      return std::exchange(done, true) ? 0 : bytes.copy(buffer, size);
    });
    char buffer[1000];
    absl::StatusOr<size_t> read = 1;
    while (read.ok() && *read > 0) read = text(buffer, sizeof(buffer));
    EXPECT_THAT(std::string(read.status().message()), ::testing::AnyOf(HasSubstr("spreadsheet"), HasSubstr("gzip")));
  }
}

TEST(CsvDialectTest, PreambleUnitsAndCommentsAreNoRows) {
  ExpectTheTable(ReadTable(absl::StrCat("Station: Berlin\nExported 2024-02-01\n\n", kTable)));
  ExpectTheTable(ReadTable(absl::StrCat("# it's a \"comment\n", kTable, "# the end\n")));
  ExpectTheTable(ReadTable(absl::StrReplaceAll(kTable, {{"hum\n", "hum\n,\u00B0C,%\n"}})));
}

TEST(CsvDialectTest, NamesMayStandInAComment) { ExpectTheTable(ReadTable(absl::StrCat("# made by x\n# ", kTable))); }

TEST(CsvDialectTest, RepeatedHeadersAndEmptyFieldsBehindRowsAreNothing) {
  ExpectTheTable(ReadTable(absl::StrReplaceAll(kTable, {{"2024-01-01 02", "date,temp,hum\n2024-01-01 02"}})));
  ExpectTheTable(ReadTable(absl::StrReplaceAll(kTable, {{"\n", ",\n"}})));
}

TEST(CsvDialectTest, WordsForNoValueAreMissing) {
  for (const char* word :
       {"",        ".",      "None", "N/A",    "n/a",     "#N/A",        "-",       "--",      "---",
        "?",       "<NA>",   "NULL", "nil",    "missing", "unavailable", "unknown", "-nan",    "-nan(ind)",
        "1.#QNAN", "*",      "M",    "\\N",    "NaN",     "NA",          "\"\"",    "#DIV/0!", "NaT",
        "\u2013",  "\u2026", " ",    "\u00A0", "(null)",  "#VALUE!"}) {
    const Table table = ReadTable(absl::StrCat("a,b\n1,2\n3,", word, "\n5,6\n"));
    ASSERT_EQ(table.rows.size(), 3u) << word;
    EXPECT_TRUE(std::isnan(table.rows[1][1])) << word;
  }
}

TEST(CsvDialectTest, MissingMayBeSeveralNumbersAndWords) {
  const Table table = ReadTable("a,b\n1,2\n-999,off\n-9999.0,7\n", {.missing = {"-999", "-9999", "OFF"}});
  EXPECT_TRUE(std::isnan(table.rows[1][0]) && std::isnan(table.rows[1][1]) && std::isnan(table.rows[2][0]));
}

TEST(CsvDialectTest, TimesAreFoundUnderAnyName) {
  for (const char* name : {"ts", "epoch", "unix_time", "timestamp_ms", "Timestamp (ms)", "time_utc", "Date/Time",
                           "time(s)", "t", "TIMESTAMP", "Zeit", "Datum", "ds"}) {
    for (const char* unit : {"", "000", "000000", "000000000"}) {
      const Table table = ReadTable(absl::StrCat(name, ",a\n1714521600", unit, ",1\n1714525200", unit, ",2\n"));
      EXPECT_THAT(table.columns, ElementsAre("a")) << name;
      EXPECT_THAT(table.seconds, ElementsAre(0, 3600)) << name << unit;
    }
  }
}

TEST(CsvDialectTest, FirstColumnThatRisesEvenlyLikeATimeIsOne) {
  EXPECT_THAT(ReadTable("x,a\n1714521600,1\n1714525200,2\n1714528800,3\n").columns, ElementsAre("a"));
  EXPECT_THAT(ReadTable("x,a\n1714521600,1\n1714525207,2\n1714528899,3\n").columns, ElementsAre("x", "a"));
}

TEST(CsvDialectTest, TimesMayStandInAnyColumnOrInSeveral) {
  ExpectTheTable(ReadTable(
      ",date,temp,hum\n0,2024-01-01 00:00,20.5,80\n1,2024-01-01 01:00,-21.25,81.5\n2,2024-01-01 02:00,22.75,82\n"));
  ExpectTheTable(
      ReadTable("Date,Time,temp,hum\n2024-01-01,00:00:00,20.5,80\n2024-01-01,01:00:00,-21.25,81.5\n2024-01-01,02:00:00,"
                "22.75,82\n"));
  ExpectTheTable(ReadTable(
      "No,year,month,day,hour,temp,hum\n1,2024,1,1,0,20.5,80\n2,2024,1,1,1,-21.25,81.5\n3,2024,1,1,2,22.75,82\n"));
}

TEST(CsvDialectTest, TextIsNoSeriesAndAnUnnamedEmptyColumnIsNone) {
  const Table table = ReadTable("date,temp,state,\n2024-01-01,1,WARN,\n2024-01-02,2,OK,\n2024-01-03,3,OK,\n");
  EXPECT_THAT(table.columns, ElementsAre("temp"));
  EXPECT_THAT(table.remarks, HasSubstr("column \"state\" holds text, such as \"WARN\": left out"));
}

TEST(CsvDialectTest, MailsAndOddTimesAreRead) {
  for (const char* times :
       {"Mon\\, 01 Jan 2024 00:00:00 +0000|Mon\\, 01 Jan 2024 02:00:00 +0100|Mon\\, 01 Jan 2024 02:00:00 GMT",
        "2023-12-31 24:00|2024-01-01 01:00|2024-01-01 02:00", "01/01/2024 22:00|01/01/2024 23:00|01/01/2024 24:00",
        "202401012200|202401012300|202401012400", "2024-01-01T22:00Z|2024-01-01T23:00Z|2024-01-01T24:00:00Z"}) {
    const std::string lines = absl::StrReplaceAll(times, {{"\\,", ","}, {"|", "\t1\n"}});
    EXPECT_THAT(ReadTable("date\ta\n" + lines + "\t1\n").seconds, ElementsAre(0, 3600, 7200)) << times;
  }
}

}  // namespace
}  // namespace aaren::cli
