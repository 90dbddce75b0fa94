"""Ctrl-C and SIGTERM, wherever they come: soon over, and nothing left."""

import ctypes
import os
import signal
import subprocess
import time
import unittest

from tests.e2e import folders, processes
from tests.e2e.bad_input import peers
from tests.e2e.bad_input.cases import Table, tree
from tests.e2e.bad_input.privileges import why_not

# Large enough that a signal comes in the middle: some 30 MiB.
RMAT = ("rmat", "--scale", "15", "--edges", "300000", "--feat-dim", "200")
SOON = 5.0  # seconds, for what takes some milliseconds
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def wait_until(condition, process):
    end = time.monotonic() + 30
    while not condition():
        assert process.running() and time.monotonic() < end, process.stderr()
        time.sleep(0.001)


class SignalsTest(Table):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.graph = os.path.join(cls.folder, "graph")
        processes.run_ok("generate", *RMAT, "--out", cls.graph)
        cls.source = cls.write_source(os.path.join(cls.folder, "source"))

    def setUp(self):
        self.here = os.path.join(self.folder, self._testMethodName)
        os.mkdir(self.here)

    def ends(self, process, sent, code=None):
        process.send(sent)
        self.assertEqual(process.wait(SOON), code or CODES[sent],
                         process.stderr())

    def interrupted_while(self, args, condition, sent, kept=()):
        """The program is sent the signal once `condition(process)` holds; it
        leaves nothing here but the folders `kept`."""
        with processes.Process(
                *args, environment={"TMPDIR": self.here}) as process:
            wait_until(lambda: condition(process), process)
            self.ends(process, sent)
            self.assertIn(sent.name, process.stderr())
            self.assertEqual(len(process.stderr().splitlines()), 1)
            self.assertIsNone(process.read_line())
        self.assertEqual(sorted(os.listdir(self.here)), sorted(kept))

    def has_begun(self, _):
        return any(os.scandir(self.here))

    def has_mapped(self, process):
        with open(f"/proc/{process.pid}/maps", encoding="utf-8") as f:
            return self.graph in f.read()

    def test_generate(self):
        for sent in CODES:
            with self.subTest(sent.name):
                self.interrupted_while(
                    ("generate", *RMAT, "--out", self.here + "/out"),
                    self.has_begun, sent)

    def test_generate_in_each_of_its_stages(self):
        """Not at a stage's beginning only: after more and more files."""
        for files in (1, 2, 3, 5, 8):
            def written(_, files=files):
                return sum(not p.endswith("/") for p in tree(self.here)
                           ) >= files
            with self.subTest(files):
                self.interrupted_while(
                    ("generate", *RMAT, "--num-parts", "4", "--out",
                     self.here + "/out"), written, signal.SIGTERM)

    def test_partition(self):
        edges = [(i * 7 % 1000, i * 11 % 1000) for i in range(200000)]
        source = self.write_large_source(edges)
        command = ("partition", "--input", source, "--out", self.here + "/out")
        # So that the same command goes on.
        self.interrupted_while(
            command,
            lambda _: os.path.exists(self.here + "/out.partial/columns"),
            signal.SIGTERM, kept=["out.partial"])
        done = processes.run(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("goes on with what an earlier run has left", done.stderr)
        self.assertEqual(os.listdir(self.here), ["out"])

    def write_large_source(self, edges):
        x = [[i] * 2000 for i in range(1000)]
        return folders.write_ogb(os.path.join(self.folder, "large"), 1000,
                                 edges, x=x)

    def test_bench(self):
        self.interrupted_while(
            ("bench", "sample", *RMAT[1:]), self.has_begun, signal.SIGINT)

    def test_verify(self):
        self.interrupted_while(("verify", self.graph), self.has_mapped,
                               signal.SIGTERM)

    def test_serve_before_it_serves(self):
        # On a busy machine it may serve before the signal comes: then again.
        for _ in range(50):
            with processes.Process("serve", "--verify", "--graph", self.graph,
                                   "--listen", "127.0.0.1:0") as process:
                wait_until(lambda: self.has_mapped(process), process)
                process.send(signal.SIGTERM)
                code = process.wait(SOON)
                if code == 0 and "draining" in process.stderr():
                    continue
                self.assertEqual(code, CODES[signal.SIGTERM],
                                 process.stderr())
                self.assertIsNone(process.read_line())
                return
        self.fail("the server served before the signal, 50 times")

    def test_serve_drains_once_it_serves(self):
        for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(sent.name), processes.Server(
                    self.graph, "--log-level", "error") as server:
                server.send(sent)
                self.assertEqual(server.wait(SOON), 0, server.stderr())

    def test_sample_with_output(self):
        out = self.here + "/out"
        with processes.Process(
                "sample", "--graph", self.graph, "--input-nodes", "train",
                "--num-neighbors", "5,5", "--batch-size", "8", "--out", out,
                small_pipe=True) as process:
            process.read_line()
            self.ends(process, signal.SIGTERM)
        left = [name for name in os.listdir(out)
                if not name.startswith("batch-0-")]
        self.assertEqual(left, [])

    def asking(self, silent, timeout, **more):
        """A `status` that has connected to who says nothing."""
        process = processes.Process("status", "--servers", silent.address,
                                    "--timeout", timeout, **more)
        self.enterContext(process)
        wait_until(lambda: silent.met, process)
        return process

    def test_a_server_that_is_silent(self):
        with peers.Listener(peers.silent) as silent:
            self.ends(self.asking(silent, 30), signal.SIGINT)

    def test_as_process_1_of_a_container(self):
        """Which the system ends by no signal that it does not handle."""
        libc = ctypes.CDLL(None)
        new_pids = 0x20000000  # CLONE_NEWPID, for the children to come
        why = why_not(lambda: libc.unshare(new_pids) == 0 or os._exit(1),
                      "a process namespace")
        if why:
            self.skipTest(why)
        with peers.Listener(peers.silent) as silent:
            program = subprocess.Popen(
                ["unshare", "--pid", "--fork", "--kill-child",
                 processes.TRIBUTARY, "status", "--servers", silent.address,
                 "--timeout", "9"], stderr=subprocess.PIPE)
            try:
                end = time.monotonic() + 30
                while not silent.met and time.monotonic() < end:
                    time.sleep(0.001)
                pid = program.pid
                with open(f"/proc/{pid}/task/{pid}/children",
                          encoding="ascii") as f:
                    os.kill(int(f.read()), signal.SIGTERM)
                _, said = program.communicate(timeout=SOON)
                self.assertIn(b"ended by SIGTERM", said)
                self.assertEqual(program.returncode, 143)
            finally:
                program.kill()
                program.wait()
                program.stderr.close()

    def test_ignored_hangup_stays_ignored(self):
        """As nohup has it."""
        with peers.Listener(peers.silent) as silent:
            process = self.asking(silent, 1, preexec=lambda: signal.signal(
                signal.SIGHUP, signal.SIG_IGN))
            self.ends(process, signal.SIGHUP, code=1)


if __name__ == "__main__":
    unittest.main()
