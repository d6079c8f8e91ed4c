"""Reads what `aaren stream --json` writes and prints every Nth forecast of each series as a line for a person, then how many there were.

usage: forecast_lines.py N
"""

import json
import sys


def number(value):
    if value is None:
        return "missing"
    return format(value if abs(value) > 1e-9 else 0, ".5g")


def describe(forecast):
    low, middle, high = (forecast["quantiles"][level] for level in ("0.1", "0.5", "0.9"))
    return (f"{forecast['time']}  {forecast['series']:<25} {number(forecast['value']):>9}  next {number(middle[0]):>9}"
            f"  in {len(middle)} steps {number(middle[-1]):>9} [{number(low[-1])} .. {number(high[-1])}]")


def main():
    every = int(sys.argv[1])
    count = 0
    for line in sys.stdin:
        forecast = json.loads(line)
        count += 1
        if (forecast["seq"] + 1) % every == 0:
            print(describe(forecast), flush=True)
    print(f"{count} forecasts")
    return 0 if count else "no forecast came"


sys.exit(main())
