#!/usr/bin/env python3
"""Counts test cases over Bazel runs; the last line is `N passed, N failed`.

    count_tests.py NAME=REPORT:CODE...

REPORT is a file of --build_event_json_file, CODE Bazel's exit code; `check`
for a REPORT is one case that passed with CODE 0. Cases are those of each
target's test.xml. A target that did not build, ran out of time, or failed
though its cases passed (a leak found at exit, say) counts as one failed case.
Exits with 1 when any failed, or none ran.
"""

import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


class Count:
    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def count_cases(xml):
    """The cases of a test.xml, of GoogleTest or of Bazel itself."""
    count = Count()
    for case in ElementTree.fromstring(xml).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            count.failed += 1
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            count.skipped += 1
        elif case.get("status") == "notrun":
            pass  # disabled in the source
        else:
            count.passed += 1
    return count


def read_outputs(result):
    """The cases of one run of one shard of a target, by its event."""
    for output in result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            path = urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
            try:
                return count_cases(pathlib.Path(path).read_bytes())
            except (OSError, ElementTree.ParseError):
                break
    return Count()


class Run:
    """What the build events of one Bazel run say."""

    def __init__(self, events):
        self.test_targets = set()
        self.broken = {}  # label of a test -> why
        self.broken_others = {}
        self.results = {}  # (label, run, shard) -> (attempt, testResult)
        for event in events:
            self._take(event)

    def _take(self, event):
        name, id_ = next(iter(event.get("id", {}).items()), ("", {}))
        label = id_.get("label") if isinstance(id_, dict) else None
        if name == "targetConfigured" and "configured" in event:
            if event["configured"].get("targetKind", "").endswith("_test rule"):
                self.test_targets.add(label)
        elif name == "testResult" and "testResult" in event:
            key = (label, id_.get("run"), id_.get("shard"))
            entry = (id_.get("attempt", 0), event["testResult"])
            if key not in self.results or entry[0] >= self.results[key][0]:
                self.results[key] = entry
        elif name == "testSummary" and "testSummary" in event:
            status = event["testSummary"].get("overallStatus", "NO_STATUS")
            if status not in ("PASSED", "FLAKY"):
                self.broken[label] = status
        elif "aborted" in event and name in ("targetCompleted", "targetConfigured"):
            self._is_broken(label, event["aborted"].get("reason", "aborted"))
        elif "aborted" in event and name in ("pattern", "unconfiguredLabel"):
            what = label or " ".join(id_.get("pattern", ["?"]))
            self.broken_others[what] = event["aborted"].get("reason", "aborted")
        elif name == "targetCompleted" and "completed" in event:
            if not event["completed"].get("success", False):
                self._is_broken(label, "DID NOT BUILD")

    def _is_broken(self, label, why):
        where = self.broken if label in self.test_targets else self.broken_others
        where.setdefault(label, why)

    def count(self, code):
        """The count, and a line for each target that failed."""
        total, lines, by_label = Count(), [], {}
        for (label, _, _), (_, result) in sorted(self.results.items(), key=str):
            cases = read_outputs(result)
            if not cases.passed and not cases.failed and not cases.skipped:
                cases = Count(passed=result.get("status") == "PASSED")
            by_label.setdefault(label, Count()).add(cases)
        for label, why in sorted(self.broken.items()):
            count = by_label.setdefault(label, Count())
            if not count.failed:
                count.failed = 1
            lines.append(f"{label}: {why}, {count}")
        for count in by_label.values():
            total.add(count)
        if not total.failed and code:
            total.failed = max(1, len(self.broken_others))
        lines += [f"{what}: {why}" for what, why in sorted(self.broken_others.items())]
        if code and not lines:
            lines.append(f"Bazel ended with code {code}")
        return total, lines


def read_events(path):
    events = []
    try:
        for line in pathlib.Path(path).read_text().splitlines():
            events.append(json.loads(line))
    except (OSError, json.JSONDecodeError):
        pass  # cut short: the exit code tells
    return events


def main(arguments):
    total = Count()
    for argument in arguments:
        name, rest = argument.split("=", 1)
        report, code = rest.rsplit(":", 1)
        if report == "check":
            count, lines = Count(int(code == "0"), int(code != "0")), []
        else:
            count, lines = Run(read_events(report)).count(int(code))
        for line in lines:
            print(f"FAILED {name}: {line}")
        if len(arguments) > 1:
            print(f"{name}: {count}")
        total.add(count)
    print(total)
    return 0 if total.passed and not total.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
