"""Jobs that share a server, which is held to a stated rate so that no core
decides who gets what."""

import contextlib
import os
import re
import signal
import time
import unittest
import urllib.request

from tests.e2e import folders, processes, sampling

RATE = 8 << 20  # bytes a second
FLAGS = ("--http", "127.0.0.1:0", "--threads", 1, "--max-rate", RATE)


class JobsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 1)

    def server(self, *flags):
        return processes.Server(self.graph, *FLAGS, *flags)

    def job(self, server, key):
        """Asks for batches of about a megabyte, without an end."""
        return processes.Process(*sampling.arguments(
            ("servers", server.address), inputs="*", batch_size=16,
            flags=("--worker-key", key, "--buffer-size", "8MB")))

    def figure(self, server, name, job):
        with urllib.request.urlopen(f"http://{server.http}/metrics",
                                    timeout=10) as reply:
            text = reply.read().decode()
        found = re.search(rf'^{name}\{{job="{job}"\}} ([0-9.e+]+)$', text, re.M)
        return float(found.group(1)) if found else 0.0

    def made(self, server, job):
        return self.figure(server, "tributary_job_batch_bytes_total", job)

    def rate(self, server, job, seconds=4):
        """Bytes a second."""
        began, before = time.monotonic(), self.made(server, job)
        time.sleep(seconds)
        return (self.made(server, job) - before) / (time.monotonic() - began)

    def test_a_job_that_stops_reading_slows_only_itself(self):
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(
                self.server("--memory-budget", 12 << 20))
            runs = stack.enter_context(self.job(server, "runs"))
            runs.read_line()
            stopped = [stack.enter_context(self.job(server, "stops"))
                       for _ in range(6)]
            for process in stopped:
                for _ in range(5):  # until credits are as large as batches
                    process.read_line()
                process.send(signal.SIGSTOP)
            self.until_it_stands_still(server, "stops")
            self.assertGreater(
                self.figure(server, "tributary_job_unread_bytes", "stops"),
                2 << 20)

            beside = self.rate(server, "runs")
            for process in stopped:
                process.kill()
            alone = self.rate(server, "runs")
            self.assertGreater(beside, 0.9 * alone)
            self.assertGreater(alone, 0.8 * RATE)
            self.assertLess(alone, 1.2 * RATE)
            self.assertTrue(runs.running())

    def until_it_stands_still(self, server, job):
        made = [-1.0]

        def still():
            time.sleep(0.5)
            made.append(self.made(server, job))
            return made[-1] == made[-2]
        processes.until(still)

    def test_bytes_go_by_weight(self):
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(
                self.server("--job-weights", "heavy=4,light=1"))
            for key in "heavy", "light":
                stack.enter_context(self.job(server, key)).read_line()
            before = {key: self.made(server, key) for key in ("heavy", "light")}
            time.sleep(5)
            heavy, light = (self.made(server, key) - before[key]
                            for key in ("heavy", "light"))
            self.assertGreater(heavy / light, 3)
            self.assertLess(heavy / light, 5.4)

    def test_jobs_that_are_not_listed_can_be_refused(self):
        with self.server("--job-weights", "ours=1,*=0") as server:
            where = ("servers", server.address)
            refused = processes.run(*sampling.arguments(
                where, batches="0:1", flags=("--worker-key", "theirs")))
            self.assertEqual(refused.returncode, 1)
            self.assertIn("job 'theirs' is not served here", refused.stderr)
            self.assertEqual(
                sampling.lines(where, batches="0:1",
                               flags=("--worker-key", "ours")),
                sampling.lines(self.graph, batches="0:1"))

    def test_wrong_shares_are_refused(self):
        for flags, text in ((("--job-weights", "a=0"), "'a=0'"),
                            (("--job-weights", "a=1,a=2"), "names a job twice"),
                            (("--job-weights", "a"), "JOB=WEIGHT"),
                            (("--max-rate", "0"), "--max-rate"),
                            (("--max-rate", "fast"), "--max-rate")):
            done = processes.run("serve", "--graph", self.graph, "--listen",
                                 "127.0.0.1:0", *flags)
            self.assertEqual(done.returncode, 2, flags)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
