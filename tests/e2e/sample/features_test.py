"""Servers that read features from their files: the same batches, and what
befalls the files while they are served."""

import os
import re
import unittest
import urllib.request

from tests.e2e import folders, processes, sampling

PAGED = ("--feature-memory", "paged")


def drop_pages(folder):
    """Out of the page cache, where the file system has it drop them."""
    for parent, _, files in os.walk(folder):
        for name in files:
            fd = os.open(os.path.join(parent, name), os.O_RDONLY)
            os.fsync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)


def metric(server, name):
    with urllib.request.urlopen(f"http://{server.http}/metrics") as reply:
        text = reply.read().decode()
    return float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE).group(1))


class FeaturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA,
                                      os.path.join(cls.folder, "g"), 2)
        cls.options = dict(inputs=",".join(map(str, range(300))),
                           batch_size=10, fanouts="4,4")
        cls.expected = sampling.lines(cls.graph, **cls.options)
        assert len(cls.expected) == 30

    def lines(self, servers):
        return sampling.lines(("servers", servers), **self.options)

    def test_a_server_reads_cold_features_and_makes_the_same_batches(self):
        drop_pages(self.graph)
        with processes.Server(self.graph, *PAGED, "--http",
                              "127.0.0.1:0") as server:
            self.assertEqual(self.lines(server.address), self.expected)
            self.assertIn("are read from their files", server.stderr())
            rows = metric(server, "tributary_feature_rows_total")
            nodes = sum(int(line.split()[4]) for line in self.expected)
            self.assertEqual(rows, nodes)
            # 1433 float32 each.
            self.assertEqual(metric(server, "tributary_feature_bytes_total"),
                             nodes * 1433 * 4)
            self.assertEqual(metric(server, "tributary_feature_requests"), 0)
            self.assertEqual(
                metric(server, "tributary_feature_pieces_in_flight"), 0)

    def test_peers_read_theirs_too(self):
        for readers in (1, 32):
            with processes.Fleet(self.graph, ["0", "1"], *PAGED,
                                 "--feature-readers", readers) as fleet:
                fleet.doctor()
                drop_pages(self.graph)
                self.assertEqual(self.lines(fleet.addresses()), self.expected)

    def test_a_lower_precision_is_made_of_what_is_read(self):
        with processes.Fleet(self.graph, ["0", "1"], *PAGED) as fleet:
            fleet.doctor()
            for dtype in ("float16", "int8"):
                with self.subTest(dtype):
                    flags = ("--feature-dtype", dtype)
                    self.assertEqual(
                        sampling.lines(("servers", fleet.addresses()),
                                       flags=flags, **self.options),
                        sampling.lines(self.graph, flags=flags,
                                       **self.options))

    def test_a_file_that_is_cut_is_an_error_and_the_server_lives(self):
        graph = folders.partition(folders.CORA,
                                  os.path.join(self.folder, "cut"), 1)
        path = os.path.join(graph, "part-0/nodes/node/x.npy")
        with processes.Server(graph, *PAGED) as server:
            os.truncate(path, 4096)
            done = processes.run(*sampling.arguments(
                ("servers", server.address), **self.options))
            self.assertEqual(done.returncode, 1)
            self.assertIn(path, done.stderr)
            self.assertIn("it was cut while it is served", done.stderr)
            self.assertTrue(server.running())

    def test_wrong_options_are_refused(self):
        for flags, why in ((("--feature-memory", "disk"), "allowed: auto, resident, paged"),
                           (("--feature-readers", 0), "256"),
                           (("--feature-readers", 257), "256")):
            with self.subTest(flags):
                done = processes.run("serve", "--graph", self.graph,
                                     "--listen", "127.0.0.1:0", *flags)
                self.assertEqual(done.returncode, 2)
                self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
