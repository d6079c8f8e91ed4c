"""The HTML report of aaren evaluate: what it says is what the table says, and it is there as a whole or not at all."""

import os
import re
import unittest
import xml.etree.ElementTree as ElementTree

from programs import SAMPLES, ServerTest, aaren, objects

SVG = "{http://www.w3.org/2000/svg}"


class ReportTest(ServerTest):
    def evaluate(self, *flags):
        csv = os.path.join(SAMPLES, "weather.csv")
        return aaren("evaluate", f"--target={self.server.target}", f"--csv={csv}", "--season=144", *flags)

    def lines(self, *flags):
        result = self.evaluate("--json", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return objects(result.stdout)

    def report(self, *flags):
        result = self.evaluate(f"--report={self.path('report.html')}", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return ElementTree.parse(self.path("report.html")).getroot(), result.stdout

    def test_scores_are_those_of_the_table(self):
        page, tables = self.report("--stride=96")
        for name, table in zip(("scores", "calibration"), tables.split("\n\n")):
            shown = next(element for element in page.iter("table") if element.get("id") == name)
            rows = [[cell.text for cell in row] for row in shown.iter("tr") if row.find("td") is not None]
            printed = [re.split(r"  +", line.strip()) for line in table.splitlines()[2:]]
            self.assertEqual(rows, printed)
            self.assertEqual([row[0] for row in rows][5:], ["one window", "mean"] if name == "scores" else ["mean"])

    def test_every_series_is_drawn_at_three_origins_with_its_interval(self):
        page, _ = self.report("--stride=96")
        forecasts = [svg for svg in page.iter(SVG + "svg") if re.search(r"MASE \d", svg.get("aria-label"))]
        self.assertEqual(len(forecasts), 15)
        for svg in forecasts:
            self.assertEqual(len(svg.findall(SVG + "polygon")), 1)

    def test_surprises_are_in_a_figure_of_ten_bars_with_a_caption(self):
        page, tables = self.report("--stride=96")
        figure = next(svg for svg in page.iter(SVG + "svg") if svg.get("aria-label").startswith("Surprise"))
        self.assertEqual(len(figure.findall(SVG + "polygon")), 10)
        caption = next(p.text for p in page.iter("p") if p.text.startswith("Surprise"))
        ks, _, values = tables.splitlines()[-1].split()[-3:]
        self.assertIn(f"{values} values", caption)
        self.assertIn(f"{ks} for a series by itself", caption)

    def test_surprises_are_those_of_a_stream(self):
        first = 3463  # of 4,329 rows: where the origins begin
        csv = os.path.join(SAMPLES, "weather.csv")
        streamed = aaren("stream", f"--target={self.server.target}", f"--csv={csv}", "--columns=dew_point_degC", "--json")
        self.assertEqual(streamed.returncode, 0, streamed.stderr)
        surprises = [line["surprise"] for line in objects(streamed.stdout)][first:]
        for stride in (1, 24, 61):
            seen = sorted(surprises[:4329 - 24 - first + 1:stride])
            share = [i / len(seen) for i in range(len(seen) + 1)]
            ks = max(max(u - share[i], share[i + 1] - u) for i, u in enumerate(seen))
            line = self.lines("--columns=dew_point_degC", f"--stride={stride}")[0]["surprise"]
            self.assertEqual(line["values"], len(seen))
            self.assertAlmostEqual(line["ks"], ks)  # the stream prints float32, in as few digits as tell it
            self.assertAlmostEqual(line["alerts_at_1_percent"], sum(min(u, 1 - u) < 0.005 for u in seen) / len(seen))

    def test_coverage_by_rows_ahead_averages_to_the_coverage(self):
        lines = self.lines("--stride=24", "--horizon=13")
        self.assertEqual([line["series"] for line in lines[-2:]], ["one window", "mean"])
        self.assertEqual(len(lines), 5 + 2)
        for line in lines:
            if line["series"] == "one window":
                self.assertNotIn("coverage80_by_step", line)
                continue
            self.assertEqual(len(line["coverage80_by_step"]), 13)
            self.assertAlmostEqual(sum(line["coverage80_by_step"]) / 13, line["coverage80"])

    def test_points_lie_inside_their_figure(self):
        page, _ = self.report("--stride=96")
        for svg in page.iter(SVG + "svg"):
            width, height = float(svg.get("width")), float(svg.get("height"))
            for shape in [*svg.iter(SVG + "polyline"), *svg.iter(SVG + "polygon")]:
                for point in shape.get("points").split():
                    x, y = map(float, point.split(","))
                    self.assertTrue(0 <= x <= width and 0 <= y <= height, point)

    def test_needs_nothing_from_elsewhere(self):
        page, _ = self.report("--windows=1")
        names = {element.tag.split("}")[-1] for element in page.iter()}
        self.assertFalse(names & {"script", "link", "img", "iframe"}, names)
        text = self.read("report.html").decode()
        self.assertNotIn("url(", text)
        self.assertNotIn("@import", text)

    def test_windows_average_to_the_scores(self):
        lines = self.lines("--per_window", "--windows=7")
        totals = [line for line in lines if line["series"] not in ("mean", "one window") and "origin" not in line]
        self.assertEqual(len(totals), 5)
        for total in totals:
            windows = [line for line in lines if line["series"] == total["series"] and "origin" in line]
            self.assertEqual(len(windows), 7)
            self.assertAlmostEqual(sum(window["forecast"]["mase"] for window in windows) / 7, total["mase"], places=12)
            self.assertAlmostEqual(sum(window["drift"]["mase"] for window in windows) / 7, total["drift"]["mase"], places=12)

    def test_unwritable_file_is_named_before_the_server_is_asked(self):
        path = self.path("nowhere/report.html")
        self.server.kill()
        result = self.evaluate(f"--report={path}")
        self.assertEqual(result.returncode, 1)
        self.assertIn(path, result.stderr)
        self.assertNotIn(self.server.target, result.stderr)

    def test_failed_evaluation_leaves_the_report_before_it(self):
        with open(self.path("report.html"), "w") as file:
            file.write("before")
        result = self.evaluate(f"--report={self.path('report.html')}", "--horizon=4000", "--start=100")
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(self.read("report.html"), b"before")
        self.assertEqual(os.listdir(self.folder.name), ["report.html"])

    def test_per_window_without_json_is_refused(self):
        result = self.evaluate("--per_window")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--json", result.stderr)


if __name__ == "__main__":
    unittest.main()
