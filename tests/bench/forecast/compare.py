#!/usr/bin/env python3
"""A server's forecasts beside those of classical methods: the same file, columns, origins and scores.

`aaren evaluate` streams the file and says at which rows it forecast; at each of them every method of statsforecast is
fitted to the rows before (the last --history of them) and scored in the same way. It prints one table: MASE, WQL, the
share of values inside the 80 % interval, and the seconds that all of a method's fits took.

statsforecast is no part of this project. In a virtual environment:

    python3 -m venv build/statsforecast
    build/statsforecast/bin/pip install statsforecast
    build/statsforecast/bin/python tests/bench/forecast/compare.py --target=127.0.0.1:7860 --csv=ETTh1.csv --windows=20

Methods: AutoETS, AutoTheta, SeasonalNaive, and AutoARIMA, a fit of which takes 20 CPU-seconds with 400 rows of history
at a season of 24 and more than a minute with 1,024, where the others take less than one second. Missing values before an
origin are interpolated for them; those after it are not scored. Where no value is missing, the MASE of SeasonalNaive has
to be the one that aaren evaluate gives its own, or the exit status is 1: so both score alike.
"""

import argparse
import csv
import json
import math
import multiprocessing
import os
import subprocess
import sys
import time
import warnings

import numpy as np

LEVELS = np.arange(1, 10) / 10
MISSING = {"", "nan", "na", "null"}
TOLERANCE = 1e-6
OWN = ("forecast", "last_value", "seasonal_naive", "drift")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="127.0.0.1:7860", help="the server")
    parser.add_argument("--csv", required=True, help="a CSV file with a header line")
    parser.add_argument("--aaren", default="build/release/bin/aaren", help="the program aaren")
    parser.add_argument("--models", default="AutoETS,AutoTheta,SeasonalNaive", help="separated by commas; also AutoARIMA")
    parser.add_argument("--history", type=int, default=1024, help="rows before an origin that a method is fitted to")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="fits at once")
    parser.add_argument("--horizon", type=int, default=24)
    parser.add_argument("--season", type=int, default=24)
    parser.add_argument("--missing", type=float, help="a number that stands for a missing value")
    for name in ("columns", "model", "start", "stride", "windows", "age"):
        parser.add_argument(f"--{name}", help="as for aaren evaluate")
    return parser.parse_args()


def evaluate(arguments):
    """The windows and the scores that aaren evaluate prints."""
    names = ("target", "csv", "horizon", "season", "missing", "columns", "model", "start", "stride", "windows", "age")
    given = [f"--{name}={getattr(arguments, name)}" for name in names if getattr(arguments, name) is not None]
    result = subprocess.run([arguments.aaren, "evaluate", *given, "--json", "--per_window"], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(result.returncode)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    windows = [line for line in lines if "origin" in line]
    return windows, {line["series"]: line for line in lines if "origin" not in line}


def read_series(path, names, missing):
    """The columns of these names, NaN where missing."""
    def number(cell):
        value = math.nan if cell.strip().lower() in MISSING else float(cell)
        return math.nan if value == missing else value

    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        fields = [header.index(name) for name in names]
        cells = [[number(row[field]) for field in fields] for row in rows if row]
    return dict(zip(names, np.array(cells).T))


def make_model(name, season):
    from statsforecast import models
    return getattr(models, name)(season_length=season)


def quantiles_of(forecast):
    """[horizon, levels]; the mean, which is the median of a symmetric interval, in the middle."""
    columns = [forecast[f"lo-{level}"] for level in (80, 60, 40, 20)] + [forecast["mean"]]
    return np.stack(columns + [forecast[f"hi-{level}"] for level in (20, 40, 60, 80)], axis=1)


def interpolated(history):
    present = ~np.isnan(history)
    if present.all() or not present.any():
        return np.nan_to_num(history)
    rows = np.arange(len(history))
    return np.interp(rows, rows[present], history[present])


def fit(task):
    """(name, series, origin), quantiles or None if the method failed, seconds."""
    key, history, horizon, season = task
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            forecast = make_model(key[0], season).forecast(y=history, h=horizon, level=[20, 40, 60, 80])
        quantiles = quantiles_of(forecast)
        quantiles = quantiles if np.isfinite(quantiles).all() else None
    except Exception as error:  # a library's own; the others go on
        print(f"{key}: {error}", file=sys.stderr)
        quantiles = None
    return key, quantiles, time.perf_counter() - begin


def score(values, quantiles, scale):
    """MASE, the pinball loss 2 sum / levels, the magnitude, values inside the 80 % interval, values."""
    present = ~np.isnan(values)
    values, quantiles = values[present, None], quantiles[present]
    errors = values - quantiles
    loss = 2 * np.maximum(LEVELS * errors, (LEVELS - 1) * errors).sum() / len(LEVELS)
    mase = np.abs(errors[:, 4]).mean() / scale if scale > 0 and present.any() else math.nan
    inside = (quantiles[:, 0] <= values[:, 0]) & (values[:, 0] <= quantiles[:, -1])
    return mase, loss, np.abs(values).sum(), inside.sum(), len(values)


def seasonal_errors(values, season):
    """Mean |x_t - x_(t-season)| over the rows before each row."""
    differences = np.abs(values[season:] - values[:-season])
    sums, counts = np.nancumsum(differences), np.cumsum(~np.isnan(differences))
    return lambda origin: sums[origin - season - 1] / counts[origin - season - 1] if origin > season else math.nan


def score_all(fits, series, arguments):
    """{method: {series: [score of each window]}} and {method: seconds}."""
    scales = {name: seasonal_errors(values, arguments.season) for name, values in series.items()}
    scores, seconds, failed = {}, {}, {}
    for (method, name, origin), quantiles, took in fits:
        seconds[method] = seconds.get(method, 0) + took
        if quantiles is None:
            failed[method] = failed.get(method, 0) + 1
            continue
        values = series[name][origin:origin + arguments.horizon]
        scores.setdefault(method, {}).setdefault(name, []).append(score(values, quantiles, scales[name](origin)))
    for method, count in failed.items():
        print(f"{method}: {count} fits failed and are not scored", file=sys.stderr)
    return scores, seconds


def row(method, by_series, seconds):
    windows = np.array([window for one in by_series.values() for window in one])
    mase = np.nanmean([np.nanmean([window[0] for window in one]) for one in by_series.values()])
    _, loss, magnitude, inside, points = windows.sum(axis=0)
    return f"{method:24} {mase:9.4f} {loss / magnitude:9.4f} {inside / points:9.4f} {len(windows):8d} {seconds:9.1f}"


def own_row(method, mean):
    scores = mean if method == "forecast" else mean[method]
    inside = f"{mean['coverage80']:9.4f}" if method == "forecast" else f"{'-':>9}"
    name = "aaren" if method == "forecast" else "aaren's " + method.replace("_", " ")
    return f"{name:24} {scores['mase']:9.4f} {scores['wql']:9.4f} {inside} {mean['windows']:8d} {'-':>9}"


def disagreement(scores, own, series, arguments):
    """The largest difference between the two seasonal naive MASEs, over series without missing values."""
    worst = 0
    for name, windows in scores.get("SeasonalNaive", {}).items():
        if np.isnan(series[name]).any() or arguments.history < arguments.season:
            continue
        worst = max(worst, abs(np.mean([window[0] for window in windows]) - own[name]["seasonal_naive"]["mase"]))
    return worst


def main():
    arguments = parse_arguments()
    windows, own = evaluate(arguments)
    names = list(dict.fromkeys(window["series"] for window in windows))
    series = read_series(arguments.csv, names, arguments.missing)
    methods = [name for name in arguments.models.split(",") if name]
    tasks = []
    for method in methods:
        for window in windows:
            name, origin = window["series"], window["origin"]
            history = interpolated(series[name][max(0, origin - arguments.history):origin])
            tasks.append(((method, name, origin), history, arguments.horizon, arguments.season))
    with multiprocessing.Pool(arguments.jobs) as pool:
        scores, seconds = score_all(pool.imap(fit, tasks), series, arguments)
    print(f"{'':24} {'MASE':>9} {'WQL':>9} {'in 80 %':>9} {'windows':>8} {'seconds':>9}")
    for method in OWN:
        print(own_row(method, own["mean"]))
    for method, by_series in scores.items():
        print(row(method, by_series, seconds[method]))
    worst = disagreement(scores, own, series, arguments)
    if worst > TOLERANCE:
        sys.exit(f"compare.py: the MASE of the two seasonal naive forecasts differ by {worst}: they are not scored alike")


if __name__ == "__main__":
    main()
