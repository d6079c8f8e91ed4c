"""Data as people have it: spellings, gaps, late rows, further files. Each case has its right value."""

import gzip
import math
import os
import subprocess
import unittest
from datetime import datetime, timedelta

from programs import BIN, ServerTest, aaren, objects, start_aaren

START = datetime(2024, 1, 1)


def hourly(values, start=START, write=str):
    return "date,y\n" + "".join(f"{start + timedelta(hours=i):%Y-%m-%d %H:%M},{write(v)}\n" for i, v in enumerate(values))


class DataTest(ServerTest):
    def write(self, name, text, encoding="utf-8"):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode(encoding))
        return self.path(name)

    def stream(self, path, *flags, **options):
        return aaren("stream", f"--target={self.server.target}", f"--csv={path}", "--json", "--horizon=1", *flags, **options)

    def rows(self, text, *flags, name="a.csv"):
        result = self.stream(self.write(name, text), *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.said = result.stderr
        return objects(result.stdout)

    def values(self, text, *flags, **options):
        return [row["value"] for row in self.rows(text, *flags, **options)]

    def next_seq(self, session):
        return objects(aaren("sessions", "get", session, f"--target={self.server.target}", "--json").stdout)[0]["next_seq"]


class SpellingTest(DataTest):
    def test_every_spelling_of_a_table_is_the_table(self):
        plain = hourly([20.5, -21.25, 22.75])
        spellings = {
            "semicolons": plain.replace(",", ";"), "tabs": plain.replace(",", "\t"), "bars": plain.replace(",", "|"),
            "commas": plain.replace(",", ";").replace(".", ","), "preamble": "Station 5\n\n" + plain,
            "comment": "# hello\n" + plain,
            "utf16": plain.encode("utf-16"), "gzip": gzip.compress(plain.encode()), "mark": plain.encode("utf-8-sig"),
        }
        for name, text in spellings.items():
            with self.subTest(name):
                rows = self.rows(text)
                self.assertEqual([row["value"] for row in rows], [20.5, -21.25, 22.75])
                self.assertEqual(rows[1]["time"], "2024-01-01 01:00")
                self.assertEqual({row["series"] for row in rows}, {"y"})

    def test_latin_1_names_are_read(self):
        self.assertEqual(self.rows("date,W/m\u00b2\n2024-01-01,1\n".encode("latin-1"))[0]["series"], "W/m\u00b2")

    def test_words_for_no_value_are_missing(self):
        for word in (".", "None", "#N/A", "---", "unavailable", "-nan", "\\N", "?"):
            with self.subTest(word):
                self.assertEqual(self.values(f"date,y\n2024-01-01,1\n2024-01-02,{word}\n2024-01-03,3\n"), [1, None, 3])

    def test_missing_takes_several_words_and_numbers(self):
        self.assertEqual(self.values("date,y\n2024-01-01,-999\n2024-01-02,off\n2024-01-03,3\n", "--missing=-999", "--missing=off"),
                         [None, None, 3])

    def test_epochs_under_any_name_are_times(self):
        rows = self.rows("ts,y\n1714521600000,1\n1714525200000,2\n")
        self.assertEqual([(row["series"], row["time"]) for row in rows], [("y", "1714521600000"), ("y", "1714525200000")])

    def test_midnight_may_be_24(self):
        self.assertEqual(self.values("date,y\n2024-01-01 23:00,1\n2024-01-01 24:00,2\n2024-01-02 01:00,3\n"), [1, 2, 3])

    def test_live_cell_that_is_no_number_is_missing_and_counted(self):
        process = start_aaren("stream", f"--target={self.server.target}", "--csv=-", "--json", "--horizon=1",
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        out, err = process.communicate("date,y\n2024-01-01 00:00,1\n2024-01-01 01:00,broken\n2024-01-01 02:00,3\n", timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual([row["value"] for row in objects(out)], [1, None, 3])
        self.assertIn('line 3, column "y": "broken"', err)

    def test_refusal_says_what_to_do(self):
        for text, words in (("date,y\n2024-01-01,1\n2024-01-02,broken\n", ("a.csv", "line 3", '"y"', '"broken"', "--missing=WORD")),
                            ("date;a\n2024-01-01;1\n2024-01-02;2,5x\n", ("line 3", "2,5x"))):
            result = self.stream(self.write("a.csv", text))
            self.assertEqual(result.returncode, 1)
            for word in words:
                self.assertIn(word, result.stderr)

    def test_too_many_columns_are_named_with_the_way_out(self):
        header = ",".join(["date"] + [f"c{i}" for i in range(65)])
        result = self.stream(self.write("wide.csv", header + "\n2024-01-01" + ",1" * 65 + "\n"))
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("--horizon", result.stderr)
        for word in ("wide.csv has 65 columns", "--max_channels", "--columns"):
            self.assertIn(word, result.stderr)
        result = self.stream(self.path("wide.csv"), "--columns=c99")
        self.assertLess(len(result.stderr), 400)


class RegularTimesTest(DataTest):
    season = [20 * math.sin(i * math.pi / 12) for i in range(24 * 14)]

    def test_gap_forecasts_as_empty_rows_do(self):
        lines = hourly(self.season).splitlines(keepends=True)
        out = [line for i, line in enumerate(lines) if not 200 <= i < 207]
        empty = [line.split(",")[0] + ",\n" if 200 <= i < 207 else line for i, line in enumerate(lines)]
        self.assertEqual(self.rows("".join(out)), self.rows("".join(empty)))
        self.assertEqual(self.rows("".join(out))[202]["time"], lines[203].split(",")[0])
        self.assertIn("missing values", self.said)

    def test_rows_delivered_twice_count_once(self):
        lines = hourly(self.season).splitlines(keepends=True)
        doubled = [line for i, line in enumerate(lines) for _ in range(2 if i and i % 30 == 0 else 1)]
        self.assertEqual(self.rows("".join(doubled)), self.rows("".join(lines)))

    def test_aggregate_joins_rows_of_a_step(self):
        text = "date,y\n" + "".join(f"2024-01-01 {i // 6:02d}:{i % 6}0,{i}\n" for i in range(12))
        self.assertEqual(self.values(text, "--step=1h", "--aggregate=mean"), [2.5, 8.5])
        self.assertEqual(self.values(text, "--step=1h", "--aggregate=sum"), [15, 51])

    def test_newest_first_is_turned(self):
        lines = hourly(range(30)).splitlines(keepends=True)
        self.assertEqual(self.values(lines[0] + "".join(reversed(lines[1:]))), list(range(30)))

    def test_late_row_is_put_in_its_place(self):
        lines = hourly(range(30)).splitlines(keepends=True)
        lines[10], lines[13] = lines[13], lines[10]
        self.assertEqual(self.values("".join(lines)), list(range(30)))

    def test_end_of_summer_time_in_local_times_loses_nothing(self):
        local = [f"2024-10-{26 + i // 96} {i % 96 // 4:02d}:{i % 4 * 15:02d}" for i in range(96 + 12)]
        local += [f"2024-10-27 {i // 4:02d}:{i % 4 * 15:02d}" for i in range(8, 40)]
        self.assertEqual(self.values("date,y\n" + "".join(f"{t},{i}\n" for i, t in enumerate(local))), list(range(len(local))))

    def test_irregular_times_are_named_once(self):
        times = [START + timedelta(seconds=i * i * 37 + i * 11) for i in range(60)]
        self.assertEqual(len(self.values("date,y\n" + "".join(f"{t},{i}\n" for i, t in enumerate(times)))), 60)
        self.assertEqual(self.said.count("no regular step"), 1)

    def test_several_series_are_named_and_become_sessions(self):
        text = "date,host,y\n" + "".join(f"2024-01-{d:02d},{h},{d if h == 'web' else -d}\n" for d in range(1, 20) for h in ("web", "db"))
        path = self.write("a.csv", text)
        refused = self.stream(path)
        self.assertEqual(refused.returncode, 1)
        self.assertIn('--series_column="host"', refused.stderr)
        result = self.stream(path, "--series_column=host", "--session=s")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.next_seq("s:web"), self.next_seq("s:db")), (19, 19))
        self.assertEqual([row["value"] for row in objects(result.stdout)], [*range(1, 20), *range(-1, -20, -1)])


class FurtherFilesTest(DataTest):
    hours = [round(20 + 5 * math.sin(i * math.pi / 12), 2) for i in range(24 * 30)]

    def days(self, first, last):
        """A file of the days first .. last, the first day of the year being 0."""
        return hourly(self.hours[24 * first : 24 * (last + 1)], START + timedelta(days=first))

    def seqs_and_times(self, rows):
        return [(row["seq"], row["time"]) for row in rows]

    def test_days_in_files_of_their_own_are_the_days_in_one_file(self):
        whole = self.rows(self.days(0, 11), "--session=whole")
        parts = self.rows(self.days(0, 9), "--session=d")
        for day in (10, 11):
            parts += self.rows(self.days(day, day), "--session=d", name="day.csv")
            self.assertIn(f'session "d" goes on at row {24 * day}, with the rows of {self.path("day.csv")} behind', self.said)
        self.assertEqual(parts, whole)

    def test_file_longer_than_the_session_loses_no_row(self):
        self.rows(self.days(0, 9), "--session=d")
        rows = self.rows(self.days(10, 24), "--session=d")
        self.assertEqual(self.seqs_and_times(rows)[:1], [(240, "2024-01-11 00:00")])
        self.assertEqual(len(rows), 360)

    def test_next_days_rows_through_a_pipe_go_on_behind_the_session(self):
        self.rows(self.days(0, 9), "--session=d")
        process = start_aaren("stream", f"--target={self.server.target}", "--csv=-", "--json", "--horizon=1", "--session=d",
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        out, err = process.communicate(self.days(9, 10), timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.seqs_and_times(objects(out))[:1], [(240, "2024-01-11 00:00")])
        self.assertEqual(len(objects(out)), 24)

    def test_overlap_is_left_out_and_counted(self):
        self.rows(self.days(0, 9), "--session=d")
        rows = self.rows(self.days(7, 10), "--session=d")
        self.assertEqual(len(rows), 24)
        self.assertIn("72 rows left out that the session has already", self.said)
        self.assertEqual(self.rows(self.days(7, 10), "--session=d"), [])

    def test_days_without_a_file_are_missing_values(self):
        self.rows(self.days(0, 1), "--session=d")
        rows = self.rows(self.days(3, 3), "--session=d")
        self.assertEqual([row["value"] for row in rows], [None] * 24 + self.hours[72:96])
        self.assertEqual(self.seqs_and_times(rows)[0], (48, "2024-01-03 00:00"))

    def test_one_file_that_grows_goes_on_by_its_rows(self):
        self.rows(self.days(0, 9), "--session=d", name="grows.csv")
        rows = self.rows(self.days(0, 10), "--session=d", name="grows.csv")
        self.assertEqual(self.seqs_and_times(rows)[:1], [(240, "2024-01-11 00:00")])
        self.assertNotIn("behind", self.said)

    def test_a_single_further_row_has_the_step_of_the_session(self):
        self.rows(self.days(0, 0), "--session=d")
        self.assertEqual(self.values("date,y\n2024-01-02 02:00,7\n", "--session=d"), [None, None, 7])

    def test_record_of_a_session_goes_on_with_the_next_file(self):
        for day in (0, 1, 2):
            path = self.write("day.csv", self.days(day, day))
            result = self.stream(path, "--session=d", f"--output={self.path('got')}")
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(objects(self.read("got")), self.rows(self.days(0, 2)))

    def test_from_start_takes_a_file_without_times(self):
        self.rows("y\n1\n2\n3\n", "--session=d")
        result = self.stream(self.write("b.csv", "y\n4\n5\n"), "--session=d")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--from_start", result.stderr)
        self.assertEqual([(row["seq"], row["value"]) for row in self.rows("y\n4\n5\n", "--session=d", "--from_start", name="b.csv")],
                         [(3, 4), (4, 5)])

    def test_killed_run_goes_on_across_gaps_and_repeats_with_nothing_twice(self):
        lines = hourly([i % 24 for i in range(8000)]).splitlines(keepends=True)
        lines = [line for i, line in enumerate(lines) for _ in range(2 if i and i % 50 == 0 else 1) if i % 97 or not i]
        path = self.write("a.csv", "".join(lines))
        self.assertEqual(self.stream(path, f"--output={self.path('want')}").returncode, 0)
        command = [os.path.join(BIN, "aaren"), "stream", f"--target={self.server.target}", f"--csv={path}", "--horizon=1",
                   f"--output={self.path('got')}"]
        for wait in (0.1, 0.15, 0.2):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(wait)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        subprocess.run(command, check=True, timeout=120, stderr=subprocess.DEVNULL)
        self.assertEqual(self.read("got"), self.read("want"))


class EvaluateTest(DataTest):
    def test_coverage_does_not_depend_on_the_unit(self):
        wobble = [round(200 + 20 * math.sin(i / 4) + (i * 7919 % 13)) for i in range(400)]
        text = "date,whole,tenths,constant\n" + "".join(
            f"{START + timedelta(hours=i):%Y-%m-%d %H:%M},{v},{v / 10},21.3\n" for i, v in enumerate(wobble))
        result = aaren("evaluate", f"--target={self.server.target}", f"--csv={self.write('a.csv', text)}", "--horizon=6", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        coverage = {row["series"]: row["coverage80"] for row in objects(result.stdout)}
        self.assertAlmostEqual(coverage["whole"], coverage["tenths"], delta=0.02)
        self.assertEqual(coverage["constant"], 1)


if __name__ == "__main__":
    unittest.main()
