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

    def job(self, stack, server, key, clients=3):
        """Clients that ask for batches of about a megabyte, more than a test reads:
        several, so that one that gets no core for a while is no job without
        credits."""
        started = [stack.enter_context(processes.Process(*sampling.arguments(
            ("servers", server.address), inputs="*", batch_size=16,
            flags=("--worker-key", key, "--buffer-size", "8MB"))))
            for _ in range(clients)]
        for process in started:
            for _ in range(3):  # until credits are as large as batches
                process.read_line()
        return started

    def figure(self, server, name, job):
        with urllib.request.urlopen(f"http://{server.http}/metrics",
                                    timeout=10) as reply:
            text = reply.read().decode()
        found = re.search(rf'^{name}\{{job="{job}"\}} ([0-9.e+]+)$', text, re.M)
        return float(found.group(1)) if found else 0.0

    def made(self, server, job):
        return self.figure(server, "tributary_job_batch_bytes_total", job)

    def rate(self, server, job):
        """Bytes a second, the most of up to three times: what else the machine does
        only takes from it, so that one near the stated rate needs no other."""
        def once(seconds=3):
            began, before = time.monotonic(), self.made(server, job)
            time.sleep(seconds)
            return ((self.made(server, job) - before) /
                    (time.monotonic() - began))
        most = 0
        for _ in range(3):
            most = max(most, once())
            if most > 0.95 * RATE:
                break
        return most

    def test_a_job_that_stops_reading_slows_only_itself(self):
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(
                self.server("--memory-budget", 12 << 20))
            runs = self.job(stack, server, "runs")
            stopped = self.job(stack, server, "stops", clients=6)
            for process in stopped:
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
            self.assertTrue(all(process.running() for process in runs))

    def until_it_stands_still(self, server, job):
        made = [-1.0]

        def still():
            time.sleep(0.5)
            made.append(self.made(server, job))
            return made[-1] == made[-2]
        processes.until(still)

    def cost(self, server, job):
        """What shares are of: bytes and nanoseconds."""
        return (self.made(server, job) + 1e9 * self.figure(
            server, "tributary_job_cpu_seconds_total", job))

    def test_costs_go_by_weight(self):
        """Over any time they differ by weight by a few batches at most, as long as
        both jobs have credits (fair_queue.h); exactly: fair_jobs_test."""
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(
                self.server("--job-weights", "heavy=4,light=1"))
            for key in "heavy", "light":
                self.job(stack, server, key)
            keys = "heavy", "light"
            began = {key: self.cost(server, key) for key in keys}
            light = self.made(server, "light")
            processes.until(
                lambda: self.made(server, "light") - light > 20 << 20, 60)
            heavy, light = (self.cost(server, key) - began[key] for key in keys)
            self.assertGreater(heavy / light, 3.2)
            self.assertLess(heavy / light, 5)

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
