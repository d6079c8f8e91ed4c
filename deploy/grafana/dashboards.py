#!/usr/bin/env python3
"""Writes the dashboards of this folder, one JSON file a reader, from the short descriptions below.

    deploy/grafana/dashboards.py            writes service.json, sessions.json and the others beside itself
    deploy/grafana/dashboards.py --check    only says which of them are not what it would write (exit status 1)

In an expression {S} stands for the servers that are chosen, {S,x="y"} for them and a label more, and [R] for a time
that holds several scrapes.
"""

import json
import os
import sys
from dataclasses import dataclass

FOLDER = os.path.dirname(os.path.abspath(__file__))
COLUMNS, WIDTH, HEIGHT = 3, 8, 8  # of Grafana's grid, which is 24 wide
CHOICES = ["job", "namespace", "service", "instance"]  # of servers, each among the servers chosen by those before


@dataclass
class Panel:
    title: str
    why: str      # what a reader learns of it
    unit: str     # as Grafana calls it
    queries: dict  # legend: expression
    stacked: bool = False
    signed: bool = False  # what it shows may be below zero

    def expressions(self):
        return {legend: expand(expr) for legend, expr in self.queries.items()}


    def answerable(self, interval):
        """Its expressions as Grafana sends them to Prometheus, where all is chosen."""
        values = {"$__rate_interval": interval, **{f"${name}": ".*" for name in (*CHOICES, "model", "session")}}
        found = self.expressions()
        for name, value in values.items():
            found = {legend: expr.replace(name, value) for legend, expr in found.items()}
        return found


@dataclass
class Dashboard:
    name: str
    title: str
    panels: list
    by_model: bool = False
    by_session: bool = False


def chosen(*names):
    return ",".join(f'{name}=~"${name}"' for name in names)


def expand(expr):
    return expr.replace("{S", "{" + chosen(*CHOICES)).replace("[R]", "[$__rate_interval]")


def rate(metric, by=""):
    return f"sum by ({by}) (rate({metric}[R]))" if by else f"sum(rate({metric}[R]))"


def quantiles(metric, *which, by=""):
    """Of a histogram without labels of its own, or of one `by` label."""
    labels = f"le, {by}" if by else "le"
    legend = f"p%g {{{{{by}}}}}" if by else "p%g"
    return {legend % (100 * q): f"histogram_quantile({q}, sum by ({labels}) (rate({metric}_bucket{{S}}[R])))"
            for q in which}


def events(*names):
    return {"{{event}}": rate('aaren_session_events_total{S,event=~"%s"}' % "|".join(names), "event")}


def surprises_below(bound):
    return 'sum(rate(aaren_surprise_bucket{S,model=~"$model",le="%s"}[R]))' % bound


def surprises_between(low, high):
    """The part of all."""
    inside = surprises_below(high) + (f" - {surprises_below(low)}" if low else "")
    return f"({inside}) / {surprises_below('+Inf')}"


TENTHS = [0, *(f"0.{i}" for i in range(1, 10)), "+Inf"]

SERVICE = Dashboard("service", "Aaren: service", [
    Panel("Tokens a second", "What clients send, and what became of it.", "ops",
          {"{{outcome}}": rate("aaren_tokens_total{S}", "outcome")}, stacked=True),
    Panel("Time of a token", "From its arrival to the reply in its stream. EVERY_TOKEN waits for its save in it.", "s",
          quantiles("aaren_token_seconds", 0.5, 0.99)),
    Panel("Turned away", "None is the rule. Each client is told why.", "ops", {
        "tokens": rate('aaren_tokens_total{S,outcome=~"refused|dropped"}'),
        "Opens": rate('aaren_session_events_total{S,event="refused"}'),
        "streams": rate("aaren_streams_ended_total{S}"),
        "connections": rate('aaren_connections_total{S,outcome!="accepted"}')}),
    Panel("Tokens that wait", "A queue that grows says that more comes than the cores step.", "short",
          {"{{instance}}": "aaren_queued_tokens{S}"}),
    Panel("Time in the queue", "The part of a token's time that more cores would shorten.", "s",
          quantiles("aaren_queue_seconds", 0.5, 0.99)),
    Panel("Cores in use", "Beside `shards`, how near a server is to its end.", "short",
          {"{{instance}}": "rate(process_cpu_seconds_total{S}[R])"}),
    Panel("Memory against its limits", "The fullest server's. What happens at 1 is told in server/README.md.",
          "percentunit", {"{{use}}": "max by (use) (aaren_held_bytes{S} / aaren_held_limit_bytes{S})"}),
    Panel("Resident memory", "Of the whole process.", "bytes", {"{{instance}}": "process_resident_memory_bytes{S}"}),
    Panel("Connections, streams, files", "Each has a limit: `max_connections`, `max_streams`, `ulimit -n`.", "short", {
        "connections": "sum(aaren_connections{S})", "streams": "sum(aaren_streams{S})",
        "files": "sum(process_open_fds{S})"}),
    Panel("Saves a second", "Failed ones are tried again.", "ops", {
        "{{outcome}}": rate("aaren_saves_total{S}", "outcome"), "tried again": rate("aaren_saves_retried_total{S}")}),
    Panel("Time of the store, p99", "From a call to its answer.", "s",
          quantiles("aaren_store_seconds", 0.99, by="operation")),
    Panel("Store there, versions", "1 while the store takes writes; how many servers run each version.", "short", {
        "store of {{instance}}": "aaren_store_available{S}",
        "version {{version}}": "count by (version) (aaren_build_info{S})"}),
    Panel("Traced messages a second", "The share that `trace_sampling` says; of a server that sends traces.", "ops",
          {"{{outcome}}": rate("aaren_traces_total{S}", "outcome")}),
    Panel("Spans a second", "Dropped: the collector does not take them.", "ops",
          {"{{outcome}}": rate("aaren_trace_spans_total{S}", "outcome")}),
])

SESSIONS = Dashboard("sessions", "Aaren: sessions", [
    Panel("Sessions", "Attached to a stream, detached; demoted ones have their row in the store only.", "short",
          {"{{state}}": "sum by (state) (aaren_sessions{S})"}, stacked=True),
    Panel("Rows in memory", "`max_resident_bytes` bounds them.", "bytes", {"{{instance}}": "aaren_state_bytes{S}"}),
    Panel("Gap between two tokens", "Rows that come back later than this need not stay in memory.", "s",
          quantiles("aaren_reuse_seconds", 0.5, 0.9, 0.99)),
    Panel("Opens a second", "Of new sessions, and of those that come back.", "ops", events("created", "resumed")),
    Panel("Leaving a second",
          "Detached ones can come back; deleted and expired ones cannot. Taken over: another stream here has it.", "ops",
          events("detached", "taken_over", "deleted", "moved", "expired", "evicted")),
    Panel("Trouble a second", "Fenced: another server has it. Rewound: it goes on further back than its client was.",
          "ops", events("fenced", "rewound", "refused")),
    Panel("Demotions a second", "Many, with short gaps, say that memory is too small for what is in use.", "ops",
          events("demoted", "promoted")),
    Panel("Time to come back", "From the token of a demoted session to its row in memory.", "s",
          quantiles("aaren_promotion_seconds", 0.5, 0.99)),
    Panel("Stalled sessions", "Their streams wait until the store has their saves.", "short",
          {"{{instance}}": "aaren_sessions_stalled{S}"}),
    Panel("Silent sessions", "Open, and without a token for ten of their steps: their sources may have failed.", "short",
          {"{{instance}}": "aaren_sessions_silent{S}"}),
    Panel("Wait for a save", "Of replies with durability EVERY_TOKEN.", "s",
          quantiles("aaren_save_wait_seconds", 0.5, 0.99)),
    Panel("Bytes to the store", "Of rows.", "Bps", {"{{store}}": rate("aaren_store_saved_bytes_total{S}", "store")}),
    Panel("Calls of the store a second", "Which operations it is asked for.", "ops",
          {"{{operation}}": rate("aaren_store_calls_total{S}", "operation")}),
])

MODEL = Dashboard("model", "Aaren: model", [
    Panel("Tokens of a batch", "Batches form by load: large ones mean that many sessions share a step.", "short", {
        "mean": rate("aaren_batch_tokens_sum{S}") + " / " + rate("aaren_batch_tokens_count{S}"),
        **quantiles("aaren_batch_tokens", 0.5, 0.99)}),
    Panel("Batches a second", "Calls of the step engine.", "ops",
          {"{{instance}}": "rate(aaren_batch_tokens_count{S}[R])"}),
    Panel("Forecast or folded", "A token without a forecast is cheaper.", "percentunit", {
        "{{outcome}}": 'sum by (outcome) (rate(aaren_tokens_total{S,outcome=~"forecast|folded|silent"}[R]))'
                       ' / on () group_left () sum(rate(aaren_tokens_total{S,outcome=~"forecast|folded|silent"}[R]))'},
          stacked=True),
    Panel("Processor time of a token", "All the server's, over the tokens that were stepped.", "s", {
        "mean": rate("process_cpu_seconds_total{S}")
                + ' / sum(rate(aaren_tokens_total{S,outcome=~"forecast|folded|silent"}[R]))'}),
    Panel("Tokens by model", "A canary stands beside the version that it is to follow.", "ops",
          {"{{model}}": rate('aaren_model_tokens_total{S,model=~"$model"}', "model")}),
    Panel("Sessions by model", "In memory, or open. A model that retires goes with its last.", "short",
          {"{{model}}": 'sum by (model) (aaren_model_sessions{S,model=~"$model"})'}),
    Panel("Inside the 80 % interval by model", "Versions side by side: which of them keeps its promise.", "percentunit",
          {"{{model}}": '(%s - %s) / %s' % tuple(
              'sum by (model) (rate(aaren_surprise_bucket{S,model=~"$model",le="%s"}[R]))' % bound
              for bound in ("0.9", "0.1", "+Inf"))}),
    Panel("Surprises a second", "Values of which it was asked where they lay in their forecast.", "ops",
          {"{{model}}": rate('aaren_surprise_count{S,model=~"$model"}', "model")}),
    Panel("Where values fell", "By tenth of their forecast. Ten bands of one height: the distributions hold.",
          "percentunit", {f"to {high}".replace("+Inf", "1.0"): surprises_between(low, high)
                          for low, high in zip(TENTHS, TENTHS[1:])}, stacked=True),
    Panel("Inside the interval", "The part that should be there: 80 %, 90 %, 99 %.", "percentunit", {
        "80 %": surprises_between("0.1", "0.9"), "90 %": surprises_between("0.05", "0.95"),
        "99 %": surprises_between("0.005", "0.995")}),
    Panel("Below the median", "Half of the values. More: forecasts are too high.", "percentunit",
          {"below": surprises_between(0, "0.5")}),
    Panel("Far out", "Half a percent at each end by chance. More: alerts come more often than their rate says.",
          "percentunit", {"low": surprises_between(0, "0.005"), "high": surprises_between("0.995", "+Inf")}),
], by_model=True)

TENANTS = Dashboard("tenants", "Aaren: tenants", [
    Panel("Tokens a second by tenant", "Who uses it. \"*\" is all tenants that are not told apart.", "ops",
          {"{{tenant}}": rate("aaren_tenant_tokens_total{S}", "tenant")}, stacked=True),
    Panel("Sessions by tenant", "Those that its streams have open.", "short",
          {"{{tenant}}": "sum by (tenant) (aaren_tenant_sessions{S})"}, stacked=True),
    Panel("Streams by tenant", "Open ones.", "short",
          {"{{tenant}}": "sum by (tenant) (aaren_tenant_streams{S})"}, stacked=True),
    Panel("Held back a second, by tenant", "Refused, or for tokens later than they could have been.", "ops",
          {"{{tenant}}": rate("aaren_tenant_limited_total{S}", "tenant")}),
    Panel("Held back a second, by limit", "Which of the limits it was.", "ops",
          {"{{limit}}": rate("aaren_tenant_limited_total{S}", "limit")}),
    Panel("Sessions against their limit", "The fullest server's. At 1 the tenant's next Open is refused there.",
          "percentunit", {"{{tenant}}": 'max by (tenant) (aaren_tenant_sessions{S} / ignoring (limit) '
                                        'aaren_tenant_limit{S,limit="sessions"})'}),
    Panel("Stored bytes against their limit", "The fullest server's. At 1 the tenant makes no new session there.",
          "percentunit", {"{{tenant}}": 'max by (tenant) (aaren_tenant_stored_bytes{S} / ignoring (limit) '
                                        'aaren_tenant_limit{S,limit="stored_bytes"})'}),
])

ONE = '{S,session=~"$session"}'
CHANNEL = "{{session}} {{channel}}"

# Of sessions that `aaren debug watch` names.
SESSION = Dashboard("session", "Aaren: one session", [
    Panel("Values", "The newest of each channel, as often as Prometheus looks.", "short",
          {CHANNEL: f"aaren_watched_value{ONE}"}, signed=True),
    Panel("Forecasts of the next value", "Lowest, middle and highest quantile.", "short",
          {CHANNEL + " {{level}}": f"aaren_watched_forecast{ONE}"}, signed=True),
    Panel("Width of the interval", "From the lowest quantile to the highest: what the series leaves open.", "short", {
        CHANNEL: 'aaren_watched_forecast{S,session=~"$session",level="high"} - ignoring (level) '
                 'aaren_watched_forecast{S,session=~"$session",level="low"}'}),
    Panel("Surprise", "Where the newest value fell in its forecast: 0.5 is the middle.", "short",
          {CHANNEL: f"aaren_watched_surprise{ONE}"}),
    Panel("Inside the interval", "The part of the values; 80 % should be, with quantiles from 0.1 to 0.9.",
          "percentunit", {CHANNEL: f"1 - rate(aaren_watched_outside_total{ONE}[R])"
                                   f" / rate(aaren_watched_judged_total{ONE}[R])"}),
    Panel("Error over the last value's", "Below 1 the forecasts of the next value beat its repetition.", "short",
          {CHANNEL: f"rate(aaren_watched_error_total{ONE}[R]) / rate(aaren_watched_last_value_error_total{ONE}[R])"}),
    Panel("Tokens a second", "Stepped here. One that moved goes on at another server, and has to be watched there.",
          "ops", {"{{session}}": f"rate(aaren_watched_tokens_total{ONE}[R])"}),
    Panel("Age", "Tokens in its life.", "short", {"{{session}}": f"aaren_watched_next_seq{ONE}"}),
], by_session=True)

DASHBOARDS = [SERVICE, SESSIONS, MODEL, TENANTS, SESSION]


def source(kind="prometheus"):
    return {"type": kind, "uid": "${datasource}"}


def variable(name, query):
    """One of several values of a label; all of them at first."""
    return {"name": name, "type": "query", "datasource": source(), "query": {"query": query, "refId": name},
            "refresh": 2, "includeAll": True, "allValue": ".*", "multi": True, "sort": 1,
            "current": {"text": ["All"], "value": ["$__all"]}}


def variables(dashboard):
    found = [{"name": "datasource", "type": "datasource", "query": "prometheus"}]
    for i, name in enumerate(CHOICES):
        found.append(variable(name, f"label_values(aaren_build_info{{{chosen(*CHOICES[:i])}}}, {name})"))
    if dashboard.by_model:
        found.append(variable("model", expand("label_values(aaren_surprise_count{S}, model)")))
    if dashboard.by_session:
        found.append(variable("session", expand("label_values(aaren_watched_tokens_total{S}, session)")))
    return found


def panel_json(panel, index):
    stacking = {"mode": "normal", "group": "A"} if panel.stacked else {"mode": "none", "group": "A"}
    return {
        "id": index + 1, "type": "timeseries", "title": panel.title, "description": panel.why, "datasource": source(),
        "gridPos": {"x": index % COLUMNS * WIDTH, "y": index // COLUMNS * HEIGHT, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": panel.unit, **({} if panel.signed else {"min": 0}), "custom": {
            "stacking": stacking, "fillOpacity": 40 if panel.stacked else 0, "showPoints": "never"}}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
                    "tooltip": {"mode": "multi", "sort": "desc"}},
        "targets": [{"refId": chr(ord("A") + i), "datasource": source(), "expr": expr, "legendFormat": legend}
                    for i, (legend, expr) in enumerate(panel.expressions().items())]}


def dashboard_json(dashboard):
    return {"uid": f"aaren-{dashboard.name}", "title": dashboard.title, "tags": ["aaren"], "schemaVersion": 39,
            "version": 1, "editable": True, "refresh": "30s", "time": {"from": "now-1h", "to": "now"},
            "graphTooltip": 1,
            "links": [{"type": "dashboards", "title": "Aaren", "tags": ["aaren"], "asDropdown": True,
                       "keepTime": True, "includeVars": True}],
            "templating": {"list": variables(dashboard)},
            "panels": [panel_json(panel, index) for index, panel in enumerate(dashboard.panels)]}


def files():
    """What each file has to hold, by its path."""
    return {os.path.join(FOLDER, f"{dashboard.name}.json"): json.dumps(dashboard_json(dashboard), indent=1) + "\n"
            for dashboard in DASHBOARDS}


def stale():
    """The files that are not there, or hold something else."""
    def held(path):
        if not os.path.exists(path):
            return None
        with open(path) as file:
            return file.read()
    return [path for path, text in files().items() if held(path) != text]


def main(arguments):
    if arguments == ["--check"]:
        for path in stale():
            print(f"{os.path.basename(path)} is not what dashboards.py writes")
        return 1 if stale() else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for path, text in files().items():
        with open(path, "w") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
