"""tributary_gnn.serve: servers that a process starts end with it."""

import gc
import os
import signal
import subprocess
import sys
import time
import unittest
import urllib.request

import tributary_gnn as tg
from tests.e2e import processes
from tests.python import graphs
from tests.python.children import children, is_running

PARENT = """
import os, sys, threading, time
import tributary_gnn as tg
fleets = []
start = lambda: fleets.append(tg.serve(sys.argv[1], num_servers=2))
if sys.argv[2] == "thread":
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
else:
    start()
[fleet] = fleets
print(*[server.process.pid for server in fleet._servers], flush=True)
if sys.argv[2] != "kill":
    raise SystemExit(3)
time.sleep(600)
"""


class ServeTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(lambda: self.assertEqual(children(), []))
        self.folder = self.enterContext(processes.temporary_folder())
        self.graph = graphs.cora(self.folder)

    def digests(self, **source):
        options = {"num_neighbors": [4, 3], "input_nodes": "train", "batch_size": 50}
        with tg.Source(**source) as opened, tg.Loader(opened, options) as loader:
            loader.start_epoch(0)
            made = []
            while (batch := loader.next()) is not None:
                with batch:
                    made.append(batch.digest())
            return made

    def test_batches_of_a_fleet(self):
        expected = self.digests(graph=self.graph)
        for given in ({}, {"num_servers": 3}, {"partitions": ["all", [0, 2], "1%2"]}):
            with self.subTest(given), tg.serve(self.graph, **given) as fleet:
                self.assertEqual(len(fleet.servers.split(",")),
                                 given.get("num_servers") or len(given.get("partitions", "1")))
                self.assertEqual(self.digests(servers=fleet.servers), expected)

    def test_flags_and_ends(self):
        fleet = tg.serve(self.graph, threads=1, http="127.0.0.1:0")
        pids = [server.process.pid for server in fleet._servers]
        text = urllib.request.urlopen(f"http://{fleet.http[0]}/metrics", timeout=30).read()
        self.assertIn(b"tributary_memory_bound_bytes", text)
        fleet.close()
        fleet.close()
        self.assertFalse(any(map(is_running, pids)))

    def test_servers_end_with_what_refers_to_them(self):
        fleet = tg.serve(self.graph)
        self.assertEqual(len(children()), 1)
        del fleet
        gc.collect()
        self.assertEqual(children(), [])

    def test_servers_end_with_their_parent(self):
        for how, code in (("raise", 3), ("thread", 3), ("kill", -signal.SIGKILL)):
            with self.subTest(how):
                parent = self.enterContext(subprocess.Popen(
                    [sys.executable, "-c", PARENT, self.graph, how],
                    stdout=subprocess.PIPE, text=True,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}))
                self.addCleanup(parent.kill)
                pids = list(map(int, parent.stdout.readline().split()))
                self.assertEqual(len(pids), 2)
                if how == "kill":
                    parent.kill()
                self.assertEqual(parent.wait(processes.DEADLINE), code)
                end = time.monotonic() + processes.DEADLINE
                while any(map(is_running, pids)):
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)

    def test_a_server_that_ended_by_itself_is_told(self):
        fleet = tg.serve(self.graph, num_servers=2)
        fleet._servers[1].process.kill()
        fleet._servers[1].process.wait(processes.DEADLINE)
        with self.assertRaisesRegex(tg.Error, "a server ended with -9"):
            fleet.close()
        with self.assertRaisesRegex(KeyError, "mine"), tg.serve(self.graph) as fleet:
            fleet._servers[0].process.kill()
            fleet._servers[0].process.wait(processes.DEADLINE)
            raise KeyError("mine")

    def test_refusals(self):
        with self.assertRaisesRegex(tg.NotFound, "no-such"):
            tg.serve(os.path.join(self.folder, "no-such"))
        with self.assertRaisesRegex(tg.InvalidArgument, "--thread"):
            tg.serve(self.graph, thread=2)
        with self.assertRaisesRegex(TypeError, "serve.. chooses listen"):
            tg.serve(self.graph, listen="0.0.0.0:1")
        with self.assertRaisesRegex(ValueError, "num_servers is 0"):
            tg.serve(self.graph, 0)
        with self.assertRaisesRegex(TimeoutError, "not ready in time"):
            tg.serve(self.graph, timeout=0)


if __name__ == "__main__":
    unittest.main()
