"""docs/logs.md: its block, and lines of servers whose callers choose hostile names."""

import json
import os
import re
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.pages import page

LOGS = "docs/logs.md"
JSON = ("--log-format", "json", "--log-level", "debug")
STAGES = ["queue_us", "sample_us", "sample_peers_us", "gather_us", "gather_disk_us",
          "gather_peers_us", "send_us"]
# The longest name of a job, of characters that end lines and values elsewhere.
HOSTILE = ('"},{"level":"error' + "\\" + "\u202e" + "a" * 400)[:128]


def events(text):
    """The objects of a log's whole lines; an error for a line that is none."""
    return [json.loads(line) for line in text.split("\n")[:-1]]


class LogsPageTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def graph(self):
        return folders.partition(folders.CORA, os.path.join(self.folder, "g"), 2)

    def test_the_block(self):
        shells = page.Shells(self.folder)
        os.makedirs(shells.path("tests/data"))
        os.symlink(os.path.abspath("tests/data/cora"), shells.path("tests/data/cora"))
        text = page.with_free_ports(page.block(LOGS, "tributary partition"))
        out = shells.paste(text)
        said = re.findall(r"^mine (\d) \d+ us, most in (\w+)$", out, re.M)
        # In the order in which they were sent, which is any.
        self.assertEqual(sorted(index for index, _ in said), ["0", "1", "2"], out)
        self.assertLessEqual({stage for _, stage in said}, set(STAGES))

    def test_a_batch_is_named_and_its_stages_are_told(self):
        def batches():
            return [event for server in fleet.servers
                    for event in events(server.stderr())
                    if event["message"] == "batch sent"]

        with processes.Fleet(self.graph(), ["0", "1"], *JSON) as fleet:
            fleet.doctor()
            made = sampling.lines(("servers", fleet.addresses()), batches="0:4",
                                  flags=("--worker-key", "mine"))
            # A server hears a little later that the network has taken a batch.
            processes.until(lambda: len(batches()) == 4, processes.DEADLINE)
            sent = batches()
        self.assertEqual(len(made), 4)
        self.assertEqual(sorted(event["index"] for event in sent), [0, 1, 2, 3])
        for event in sent:
            self.assertEqual(event["job"], "mine")
            self.assertEqual(event["epoch"], 2)
            self.assertRegex(event["session"], "^[0-9a-f]{16}$")
            self.assertEqual([name for name in event if name.endswith("_us")], STAGES)
            self.assertTrue(all(event[stage] >= 0 for stage in STAGES))
            # Each partition is another server's: rows of both are in the batch.
            self.assertGreater(event["gather_peers_us"], 0)

    def test_a_hostile_name_is_one_value_of_one_line(self):
        with processes.Server(self.graph(), *JSON) as server:
            done = processes.run(*sampling.arguments(
                ("servers", server.address), batches="0:1",
                flags=("--worker-key", HOSTILE)))
            log = events(server.stderr())
        self.assertEqual(done.returncode, 0, done.stderr)
        jobs = {event["job"] for event in log if "job" in event}
        self.assertEqual(jobs, {HOSTILE.replace("\u202e", "\\xe2\\x80\\xae")})
        for event in log:
            self.assertIn(event["level"], ("debug", "info", "warning"))

    def test_why_a_program_ends_is_json_too(self):
        done = processes.run("serve", "--graph", "/no/where", "--listen", "127.0.0.1:0",
                             "--log-format", "json", "--log-level", "off")
        [event] = events(done.stderr)
        self.assertEqual(event["program"], "tributary serve")
        self.assertEqual(event["level"], "error")
        self.assertIn("/no/where", event["message"])
        self.assertEqual(done.returncode, 1)

    def test_a_format_that_is_not_is_refused(self):
        done = processes.run("serve", "--graph", "/no/where", "--listen", "127.0.0.1:0",
                             "--log-format", "xml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--log-format: log format 'xml' is none of text, json", done.stderr)


if __name__ == "__main__":
    unittest.main()
