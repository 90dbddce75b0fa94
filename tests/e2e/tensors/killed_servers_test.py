"""Rows on servers that are killed: what was acknowledged and is in a snapshot is
there, and what came after it is added once when the writers repeat it."""

import os
import random
import unittest

from tests.e2e import folders, processes

WRITERS = "tests/e2e/tensors/tensor_writers"
NUM_SERVERS = 3
KILLS = 3


class Listed:
    """Servers whose addresses are in a file, which the writers read."""

    def __init__(self, graph, folder):
        self._graph = graph
        self.path = os.path.join(folder, "servers")
        self.servers = [processes.Server(graph).__enter__()
                        for _ in range(NUM_SERVERS)]
        self._write()

    def _write(self):
        with open(self.path + ".new", "w", encoding="ascii") as file:
            file.writelines(server.address + "\n" for server in self.servers)
        os.rename(self.path + ".new", self.path)

    def replace(self, which):
        """Kills a server; another one comes in its place, elsewhere."""
        self.servers[which].kill()
        self.servers[which].__exit__()
        self.servers[which] = processes.Server(self._graph).__enter__()
        self._write()

    def close(self):
        for server in self.servers:
            server.__exit__()


class KilledServersTest(unittest.TestCase):
    def test_a_million_adds(self):
        rng = random.Random(5)
        with processes.temporary_folder() as folder:
            graph = folders.partition(folders.CORA, os.path.join(folder, "g"),
                                      2)
            listed = Listed(graph, folder)
            self.addCleanup(listed.close)
            with processes.Process(
                    "--servers", "file:" + listed.path, "--snapshots",
                    os.path.join(folder, "snapshots"), "--timeout", 12,
                    program=WRITERS) as writers:
                lines = self.kill_after_snapshots(rng, listed, writers)
                self.assertEqual(writers.wait(), 0,
                                 (lines, writers.stderr()))
        self.assertEqual(lines[-1], f"equal {32 * 316 * 100}", lines)
        ended = [line for line in lines if line.startswith("ended ")]
        self.assertEqual(len(ended), KILLS, lines)
        for line in ended:
            self.assertRegex(line, r"127\.0\.0\.1:\d+")

    def kill_after_snapshots(self, rng, listed, writers):
        """Kills a server after each of the first KILLS snapshots; all lines."""
        lines, kills = [], 0
        while (line := writers.read_line(180)) is not None:
            lines.append(line)
            if line.startswith("snapshot ") and kills < KILLS:
                kills += 1
                listed.replace(rng.randrange(NUM_SERVERS))
        return lines


if __name__ == "__main__":
    unittest.main()
