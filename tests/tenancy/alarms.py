"""Alarms are about things that are there: every metric that they name is shown by a server on which the
scenario ran, or made of the lines that it logged.

Usage: alarms.py URL-OF-THE-SERVICES URL-OF-THE-DATABASE LOG-FILE
"""

import json
import pathlib
import re
import sys
import urllib.error
import urllib.request

import promql_parser
import yaml

TEMPLATE = "docs/alarms/tenancy.cloudwatch.json"
NAMESPACE = "BBWS/TenantManagement"
SERVICE = "tenant-management"
# R002-10.2-1 to R002-10.2-5, and C2-45.
ALARMS = {"HighParkFailures", "HighUnparkFailures", "ServiceErrors", "HighLatency", "HighLatencyP99", "DLQMessages"}
OPERATING = {
    "DatabaseStopped", "WritesRefused", "DatabaseErrors", "ServicesFail", "SlowCommits", "ConnectionsRefused",
    "ExpiryBehind", "JobFails", "AuditEntriesRefused", "StrangersTryKeys", "WebhooksGivenUp",
}
# Rules, the page that explains them, and the alarms that both name.
RULES = [
    ("docs/alarms/tenancy.rules.yml", "docs/tenancy.md", ALARMS),
    ("docs/alarms/plinth.rules.yml", "docs/operating.md", OPERATING),
]


def check(holds, problem):
    if not holds:
        sys.exit(f"FAILED: {problem}")


def shown(url):
    """What the server shows: a metric's name to its samples, each the labels and the value."""
    text = urllib.request.urlopen(f"{url}/metrics").read().decode()
    samples = {}
    for line in text.splitlines():
        found = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if found:
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or ""))
            samples.setdefault(found[1], []).append((labels, float(found[3])))
    return samples


def refuse(url):
    """Has a request refused, so that there are errors to count."""
    headers = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"}
    try:
        urllib.request.urlopen(urllib.request.Request(url, b"{}", headers))
    except urllib.error.HTTPError as error:
        check(error.code == 400, f"a request that is not signed was answered with {error.code}")
    else:
        check(False, "a request that is not signed was answered")


def selectors(expression):
    """The metrics that an expression is about, each with the labels that it asks for."""
    if isinstance(expression, promql_parser.VectorSelector):
        yield expression.name, {matcher.name for matcher in expression.matchers.matchers}
    for name in ["vector_selector", "expr", "lhs", "rhs"]:
        part = getattr(expression, name, None)
        if isinstance(part, promql_parser.VectorSelector) or isinstance(part, promql_parser.Expr):
            yield from selectors(part)
    for part in getattr(expression, "args", None) or []:
        yield from selectors(part)


def has(samples, metric, labels):
    return any(set(labels) <= set(found) for found, _ in samples.get(metric, []))


def headings(path):
    found = re.findall(r"^#+ (.+)$", pathlib.Path(path).read_text(), re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in found}


def rules(path, guide, alarms, samples):
    groups = yaml.safe_load(pathlib.Path(path).read_text())["groups"]
    found = [rule for group in groups for rule in group["rules"]]
    check({rule["alert"] for rule in found} == alarms, f"{path} has other alarms")
    rows = set(re.findall(r"\w+", " ".join(re.findall(r"^\| ([\w, ]+) \|", pathlib.Path(guide).read_text(), re.MULTILINE))))
    check(alarms <= rows, f"{guide} does not list {alarms - rows}")
    for rule in found:
        metrics = list(selectors(promql_parser.parse(rule["expr"])))
        check(metrics, f"{rule['alert']} is about no metric")
        for metric, labels in metrics:
            check(has(samples, metric, labels), f"{rule['alert']}: the server shows no {metric} with {labels}")
        page, anchor = rule["annotations"]["runbook"].split("#")
        check(page == guide and anchor in headings(page), f"{rule['alert']}: there is no {page}#{anchor}")
    print(f"  {path}: {len(found)} alarms, every metric is shown")


def matches(pattern, line):
    """Whether a line fits a pattern of a metric filter; of its language, what the template uses."""
    for term in pattern.strip("{} ").split("&&"):
        name, operator, wanted = re.fullmatch(r'\s*\$\.(\w+)\s*(=|>=)\s*(.+?)\s*', term).groups()
        value, wanted = line.get(name), json.loads(wanted)
        if value is None or not (value == wanted if operator == "=" else value >= wanted):
            return False
    return True


def template(samples, log):
    resources = json.loads(pathlib.Path(TEMPLATE).read_text())["Resources"]
    of = lambda kind: {name: one["Properties"] for name, one in resources.items() if one["Type"] == kind}
    alarms, filters = of("AWS::CloudWatch::Alarm"), of("AWS::Logs::MetricFilter")
    check(set(alarms) == ALARMS, f"{TEMPLATE} has other alarms")
    lines = [json.loads(line) for line in pathlib.Path(log).read_text().splitlines() if line.startswith("{")]

    made, actions = {}, set()
    for name, one in filters.items():
        change = one["MetricTransformations"][0]
        fitting = [line for line in lines if matches(one["FilterPattern"], line)]
        value, dimensions = change["MetricValue"], change.get("Dimensions", [])
        for field in [value] * value.startswith("$") + [dimension["Value"] for dimension in dimensions]:
            check(all(field[2:] in line for line in fitting), f"{name}: log lines have no {field}")
        made[change["MetricName"]] = {dimension["Key"] for dimension in dimensions}
        requests = [
            (labels, value)
            for labels, value in samples["plinth_http_requests_total"]
            if labels["service"] == SERVICE and (name != "Errors" or labels["status"] >= "500")
        ]
        counted = sum(value for _, value in requests)
        check(len(fitting) == counted, f"{name}: {len(fitting)} log lines fit, {counted} requests were counted")
        actions |= {line["action"] for line in fitting}

    named = [(name, one["MetricName"], {d["Name"] for d in one.get("Dimensions", [])}) for name, one in alarms.items()]
    for name, dashboard in of("AWS::CloudWatch::Dashboard").items():
        for widget in json.loads(dashboard["DashboardBody"]["Fn::Sub"])["widgets"]:
            check(widget["properties"]["period"] == 300 and widget["properties"]["stat"] == "Sum", "R002-10.3-1")
            for metric in widget["properties"]["metrics"]:
                if isinstance(metric[0], dict):
                    found = re.search(r"\{([\w/,]+)\} MetricName=\"(\w+)\"", metric[0]["expression"])
                    namespace, *dimensions = found[1].split(",")
                    metric = [namespace, found[2]] + [part for name in dimensions for part in (name, "")]
                namespace, title, *pairs = [part for part in metric if isinstance(part, str)]
                check(namespace == NAMESPACE, f"{title} is in the namespace {namespace}")
                check(pairs[0] != "Action" or pairs[1] in actions, f"no log line has the action {pairs[1]}")
                named.append((name, title, set(pairs[::2])))
    for name, metric, dimensions in named:
        is_there = made.get(metric) == dimensions or has(samples, metric, dimensions)
        check(is_there, f"{name}: there is no {metric} with {dimensions}")
    print(f"  {TEMPLATE}: {len(alarms)} alarms and a dashboard, every metric is shown or made of {len(lines)} log lines")


def main():
    url, database, log = sys.argv[1:]
    samples = shown(url)
    refuse(database)
    of_database = shown(database)
    check(not set(samples) & set(of_database), "a metric is shown on both ports")
    print("\nAlarms and dashboard (R002-10.1-1 to R002-10.1-7, R002-10.2-1 to R002-10.2-5, R002-10.3-1, C2-45)")
    for path, guide, alarms in RULES:
        rules(path, guide, alarms, samples | of_database)
    template(samples, log)


if __name__ == "__main__":
    main()
