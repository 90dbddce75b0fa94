"""All abuses at once on one server: what it holds, and whether others are
served.

TRIBUTARY_ABUSE_SECONDS is how long (20); docs/testing.md says what a longer
run found.
"""

import contextlib
import os
import re
import signal
import ssl
import time
import unittest
import urllib.request

from tests.bounds import memory
from tests.e2e import folders, processes, sampling
from tests.e2e.tls import certificates

MIB = memory.MIB
SECONDS = float(os.environ.get("TRIBUTARY_ABUSE_SECONDS", "20"))
ABUSER = os.path.join("tests", "abuse", "abuser")
# Bits of Abuse (abuse.h), and the certificate with which each is committed.
ABUSES = {1: "trainer-thief", 2: "sampler", 4: "trainer-thief",
          8: "trainer-thief", 16: "trainer-thief", 32: "trainer-thief",
          1024: "trainer-thief"}
ROW_MEMORY = 1024
ROW_SECONDS = 8.0
ACTIVE, STOPPED = 0.7, 3.0  # seconds: longer than a server waits for a reader


def bound(server, certs):
    """The server's statement of what it may hold beside mapped files."""
    return figure(server, certs, "tributary_memory_bound_bytes")


def figure(server, certs, name):
    """The sum of a gauge over its labels."""
    context = ssl.create_default_context(cafile=os.path.join(certs, "ca.pem"))
    context.check_hostname = False  # its certificate names a role
    context.load_cert_chain(os.path.join(certs, "operator.pem"),
                            os.path.join(certs, "operator.key"))
    with urllib.request.urlopen(f"https://{server.http}/metrics",
                                timeout=processes.DEADLINE,
                                context=context) as answer:
        text = answer.read().decode()
    found = re.findall(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return sum(map(float, found))


class MemoryUnderAbuseTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.graph = folders.partition(folders.CORA,
                                       os.path.join(folder, "g"), 2)
        self.certs = os.path.join(folder, "certs")
        certificates.make(self.certs, "honest", "thief")

    def abuser(self, server, abuse, name, *more):
        return processes.Process(
            "--abuse", abuse, "--server", server.address, "--graph", self.graph,
            *more, *certificates.flags(self.certs, name), program=ABUSER)

    def server(self, stack):
        return stack.enter_context(processes.Server(
            self.graph, *certificates.flags(self.certs, "sampler"),
            "--memory-budget", "64MiB", "--tensor-memory", "16MiB",
            "--http", "127.0.0.1:0", environment=memory.NOTHING_KEPT))

    def test_calls_for_rows_hold_what_their_budgets_say(self):
        """One trainer that sends as fast as it can: parts and writes without
        rows, waits, specifications with unknown fields."""
        for carrier in ([], ["--tcp"]):
            with self.subTest(carrier=carrier):
                self.call_for_rows(carrier)

    def call_for_rows(self, carrier):
        with contextlib.ExitStack() as stack:
            server = self.server(stack)
            budgets = sum(
                figure(server, self.certs,
                       f'tributary_shared_budget_bytes{{budget="{name}"}}')
                for name in ("data budget", "attempt budget"))
            self.assertEqual(budgets, 128 * MIB)
            # Answers, the network's buffers and threads' heaps beside them.
            most = budgets + 1.25 * 16 * MIB + 64 * MIB
            before = memory.status(server.pid)["RssAnon"]
            watch = stack.enter_context(memory.Watch([server.pid]))
            abuser = stack.enter_context(self.abuser(
                server, ROW_MEMORY, "trainer-thief", "--at-once", "1000",
                *carrier))
            self.assertEqual(abuser.read_line(), "ready", abuser.stderr())
            time.sleep(ROW_SECONDS)  # the abuse goes on until it is ended
            held = watch.peak(server.pid) - before
            answered = figure(server, self.certs,
                              "tributary_tensor_errors_total")
            self.assertTrue(abuser.running())
            print(f"{held / MIB:.0f} MiB of {most / MIB:.0f} MiB; "
                  f"{answered:.0f} calls refused")
            self.assertGreater(answered, 0)
            self.assertLessEqual(held, most)

    def test_others_are_served_within_the_bound(self):
        expected = sampling.lines(self.graph)
        with contextlib.ExitStack() as stack:
            server = self.server(stack)
            most = bound(server, self.certs)
            before = memory.status(server.pid)["RssAnon"]
            watch = stack.enter_context(memory.Watch([server.pid]))
            abusers = [stack.enter_context(
                self.abuser(server, abuse, name, *carrier))
                for abuse, name in ABUSES.items() for carrier in ([], ["--tcp"])]
            for abuser in abusers:
                self.assertEqual(abuser.read_line(), "ready", abuser.stderr())
            end, epochs = time.monotonic() + SECONDS, 0
            while time.monotonic() < end:
                self.abuse_for_a_moment(abusers)
                self.assertEqual(
                    sampling.lines(("servers", server.address),
                                   flags=certificates.flags(
                                       self.certs, "trainer-honest")),
                    expected)
                epochs += 1
                self.assertLessEqual(watch.peak(server.pid), before + most)
            self.assertTrue(all(abuser.running() for abuser in abusers))
            self.assertGreater(epochs, 1)
            print(f"{epochs} epochs; at most "
                  f"{(watch.peak(server.pid) - before) / MIB:.0f} MiB of "
                  f"{most / MIB:.0f} MiB more than before")

    def abuse_for_a_moment(self, abusers):
        """They send, and then stand still with all that they are owed."""
        for abuser in abusers:
            abuser.send(signal.SIGCONT)
        time.sleep(ACTIVE)
        for abuser in abusers:
            abuser.send(signal.SIGSTOP)
        time.sleep(STOPPED)


if __name__ == "__main__":
    unittest.main()
