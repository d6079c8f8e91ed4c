#!/usr/bin/env python3
"""Draws the dashboards of this folder without a Grafana, from the answers of a Prometheus. Needs gnuplot.

    deploy/grafana/draw.py http://127.0.0.1:9090 FOLDER [--minutes=60] [--interval=60s]

Writes FOLDER/service.png and so on: the last so many minutes, rates over so long. An interval has to hold at least
four scrapes.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import dashboards

POINTS = 240
UNITS = {"s": "%.1s %cs", "bytes": "%.1b %BB", "Bps": "%.1s %cB/s", "ops": "%.1s %c/s", "short": "%.1s %c"}
SMALL = {"ops": "%g/s", "short": "%g", "percentunit": "%g"}  # below a thousand


def ask(prometheus, path, **parameters):
    """The data of an answer. ValueError with Prometheus' own words if it is an error."""
    try:
        url = f"{prometheus}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=30) as reply:
            return json.load(reply)["data"]
    except urllib.error.HTTPError as error:
        raise ValueError(f"{json.load(error)['error']}: {parameters}") from error


def legend_of(legend, labels):
    for name, value in labels.items():
        legend = legend.replace("{{%s}}" % name, value)
    return legend


def answers(prometheus, panel, begin, end, interval):
    """[(legend, {seconds before the end: value})], without what is no number."""
    found = []
    for legend, expr in panel.answerable(interval).items():
        data = ask(prometheus, "query_range", query=expr, start=begin, end=end, step=(end - begin) / POINTS)
        for series in data["result"]:
            points = {float(at) - end: float(value) for at, value in series["values"]}
            points = {at: value for at, value in points.items() if math.isfinite(value)}
            if points:
                found.append((legend_of(legend, series["metric"]), points))
    return found


def pile_up(lines):
    """Each line on top of those before it; the highest first, so that the others are drawn over it."""
    below, piled = {}, []
    for legend, points in lines:
        below = {at: below.get(at, 0) + points.get(at, 0) for at in below.keys() | points.keys()}
        piled.insert(0, (legend, below))
    return piled


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def plot(panel, lines):
    """gnuplot's commands for one panel."""
    lines = pile_up(lines) if panel.stacked else lines
    highest = max((value for _, points in lines for value in points.values()), default=0)
    form = SMALL.get(panel.unit, UNITS.get(panel.unit)) if highest < 1000 else UNITS[panel.unit]
    commands = [f"set title {quoted(panel.title)} noenhanced", f"set format y {quoted(form)}",
                "set yrange [*:*]" if panel.signed else f"set yrange [0:{'*' if highest > 0 else 1}]"]
    curves = []
    for i, (legend, points) in enumerate(lines):
        rows = "\n".join(f"{at / 60:.4f} {value:.9g}" for at, value in sorted(points.items()))
        commands.append(f"$line{i} << EOD\n{rows}\nEOD")
        style = "filledcurves y1=0" if panel.stacked else "lines"
        curves.append(f"$line{i} using 1:2 with {style} linecolor {len(lines) - i if panel.stacked else i + 1}"
                      f" title {quoted(legend)} noenhanced")
    commands.append("plot " + ", ".join(curves) if curves else "plot 1/0 title 'no answer'")
    return "\n".join(commands)


def script(dashboard, plots, path, minutes):
    rows = -(-len(plots) // dashboards.COLUMNS)
    return "\n".join([
        f"set terminal png size {450 * dashboards.COLUMNS},{240 * rows + 30} font 'sans,9'",
        f"set output {quoted(path)}",
        f"set multiplot layout {rows},{dashboards.COLUMNS} title {quoted(dashboard.title)} noenhanced",
        "set grid back linetype 1 linecolor rgb '#e0e0e0'", "set border 3", "set tics nomirror",
        "set style fill solid 0.5 noborder", "set key below samplen 1",
        f"set xrange [{-minutes}:0]", "set format x '%g min'", "set xlabel ' '",
        *plots, "unset multiplot"])


def draw(prometheus, folder, minutes, interval):
    """Returns the files it wrote."""
    end = time.time()
    paths = []
    for dashboard in dashboards.DASHBOARDS:
        plots = [plot(panel, answers(prometheus, panel, end - 60 * minutes, end, interval))
                 for panel in dashboard.panels]
        paths.append(os.path.join(folder, f"{dashboard.name}.png"))
        subprocess.run(["gnuplot"], input=script(dashboard, plots, paths[-1], minutes), text=True, check=True)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prometheus")
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--interval", default="60s")
    arguments = parser.parse_args()
    try:
        print("\n".join(draw(arguments.prometheus, arguments.folder, arguments.minutes, arguments.interval)))
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"draw.py: {error}")


if __name__ == "__main__":
    main()
