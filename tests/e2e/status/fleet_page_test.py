"""A fleet of two on its page and in `status --watch`, until one is killed."""

import os
import re
import signal
import unicodedata
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.status import tables

STAGES = ("queue|sample|sample_peers|gather|gather_disk|gather_peers|send")
LONG = 120


def columns(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


def watch(servers, *flags):
    """The report of one round of `status --watch`."""
    return processes.run_ok("status", "--servers", servers, "--watch",
                            "--count", 1, *flags)


class FleetPageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        graph = folders.partition(folders.CORA, os.path.join(folder, "g"), 2)
        self.fleet = self.enterContext(processes.Fleet(
            graph, ("0", "1"), "--http", "127.0.0.1:0"))
        self.fleet.doctor()
        self.first, self.second = self.fleet.servers

    def until(self, server, condition):
        """The server's page once the condition holds for it."""
        pages = []

        def holds():
            pages.append(tables.get(server.http))
            return condition(pages[-1])
        try:
            processes.until(holds, LONG)
        except processes.Timeout:
            raise AssertionError(f"never came true: {pages[-1].tables}")
        return pages[-1]

    def load(self, job):
        """Makes batches for the job and ends."""
        processes.run_ok(*sampling.arguments(
            ("servers", self.fleet.addresses()), inputs="*", batch_size=64,
            batches="0:40", flags=("--worker-key", job)))

    def narrow(self, report):
        for line in report.splitlines():
            self.assertLessEqual(columns(line), 80, line)

    def owners(self, page):
        return {row["Partitions"]: row["Owners"]
                for row in page.tables["partitions"]}

    def test_the_whole_of_it(self):
        evil = "</td><script>\u56fe" + "x" * 200
        self.load("alpha")
        self.load(evil)
        for server in self.fleet.servers:
            self.shows_the_fleet(server, evil)
        self.the_terminal_shows_the_same()
        self.second.kill()
        self.shows_what_is_missing()

    def shows_the_fleet(self, server, evil):
        both = {self.first.address, self.second.address}
        page = self.until(server, lambda page: all(
            row["State"] == "ready" and row["Busy"] != "-"
            for row in page.tables["servers"]) and
            page.row("jobs", "Job", "alpha"))
        self.assertEqual({row["Server"] for row in page.tables["servers"]},
                         both)
        self.assertEqual(self.owners(page), {"0": self.first.address,
                                             "1": self.second.address})
        alpha = page.row("jobs", "Job", "alpha")
        self.assertGreater(float(alpha["Batches/s"]), 0)
        self.assertEqual(alpha["Failed"], "0")
        self.assertRegex(alpha["Slowest stage"], rf"^({STAGES}) \d+%$")
        self.assertRegex(alpha["Slowest batch"], r"^2:\d+ [\d.]+ (us|ms|s)$")
        self.assertIsNotNone(page.row("jobs", "Job", evil))
        self.assertEqual(page.tables["troubles"], [])
        self.assertIn("2 servers, 2 partitions, 2 jobs, 0 troubles",
                      page.summary)

    def the_terminal_shows_the_same(self):
        report = watch(self.fleet.addresses())
        self.narrow(report)
        self.assertIn("2 servers, 2 partitions, 2 jobs, 0 troubles", report)
        for server in self.fleet.servers:
            self.assertRegex(report, rf"(?m)^{server.address} +ready ")
        self.assertRegex(report, r"(?m)^alpha +[\d.]+ ")
        self.assertRegex(report, rf"(?m)^alpha .* ({STAGES}) \d+%")
        self.assertNotIn("\x1b", report)

    def shows_what_is_missing(self):
        gone = self.second.address
        page = self.until(self.first, lambda page: page.row(
            "servers", "State", "silent"))
        self.assertEqual(page.row("servers", "State", "silent")["Server"],
                         gone)
        self.assertEqual(self.owners(page), {"0": self.first.address,
                                             "1": "none"})
        self.assertEqual(list(self.owners(page))[0], "1")
        trouble = page.row("troubles", "Trouble", "no_owner")
        self.assertIn("have no owner that answers: 1", trouble["What"])
        self.assertIn("serve --partitions", trouble["What to do"])
        self.assertIsNotNone(page.row("troubles", "Trouble", "server_silent"))
        report = watch(self.fleet.addresses(), "--timeout", 20)
        self.narrow(report)
        self.assertRegex(report, rf"(?m)^{gone} +silent ")
        self.assertIn("error no_owner: 1 of 2 partitions", report)
        self.assertIn("serve --partitions", re.sub(r"\s+", " ", report))

    def test_ctrl_c_ends_the_watch_well(self):
        with processes.Process("status", "--servers", self.fleet.addresses(),
                               "--watch", "0.2") as shown:
            lines = []
            while lines.count("JOBS") < 2:
                lines.append(shown.read_line())
            self.assertIn("", lines)
            shown.send(signal.SIGINT)
            self.assertEqual(shown.wait(), 0, shown.stderr())

    def test_wrong_flags_are_refused(self):
        for flags, text in ((("--count", "3"), "--count goes with --watch"),
                            (("--watch", "0"), "--watch"),
                            (("--watch", "--wait", "5"), "--wait"),
                            (("--watch", "--count", "x"), "--count")):
            done = processes.run("status", "--servers",
                                 self.fleet.addresses(), *flags)
            self.assertEqual(done.returncode, 2, flags)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
