"""Rows that the trainer holds: the same batches, of which less is sent."""

import os
import re
import shutil
import unittest

from tests.e2e import folders, processes, sampling

ALL = "*"
OPTIONS = {"inputs": ALL, "fanouts": "4,4", "batch_size": 10}
LEFT_OUT = "tributary_batch_left_out_bytes_total"
COMPACT = "tributary_batch_compact_bytes_total"
SENT = "tributary_batch_bytes_total"
BATCHES = "tributary_batches_total"


class TrainerCacheTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA, os.path.join(cls.folder, "g"), 2)
        cls.without_list = os.path.join(cls.folder, "without")
        shutil.copytree(cls.graph, cls.without_list,
                        ignore=shutil.ignore_patterns("hot-lists"))
        cls.made = processes.run("cache", "--graph", cls.graph, "--input-nodes", ALL,
                                 "--num-neighbors", "4,4", "--batch-size", "10")
        assert cls.made.returncode == 0, cls.made.stderr

    def fleet(self, folders_of_servers):
        return processes.Fleet(None, ["0", "1"], "--http", "127.0.0.1:0",
                               folders=folders_of_servers)

    def check(self, folders_of_servers, *flags):
        """Returns what each server has left out, in bytes, of all that it made."""
        expected = sampling.lines(folders_of_servers[0], **OPTIONS, flags=flags)
        with self.fleet(folders_of_servers) as fleet:
            fleet.doctor()
            self.assertEqual(
                sampling.lines(("servers", fleet.addresses()), **OPTIONS,
                               flags=(*flags, "--trainer-cache", "0.5")), expected)
            shares = []
            for server in fleet.servers:
                left_out = sampling.metric(server, LEFT_OUT)
                shares.append(left_out / (left_out + sampling.metric(server, SENT)))
            return shares

    def test_the_same_batches_of_which_less_is_sent(self):
        for share in self.check([self.graph, self.graph]):
            self.assertGreater(share, 0.2)

    def test_a_server_without_the_list_sends_whole_batches(self):
        shares = self.check([self.graph, self.without_list])
        self.assertGreater(shares[0], 0.2)
        self.assertEqual(shares[1], 0)

    def test_in_another_precision(self):
        for dtype in ("float16", "int8"):
            for share in self.check([self.graph, self.graph], "--feature-dtype", dtype):
                self.assertGreater(share, 0.2)

    def test_of_a_graph_that_is_stored_as_int8(self):
        graph = folders.partition(folders.CORA, os.path.join(self.folder, "scaled"), 2, "random",
                                  "--feature-dtype", "int8")
        for flags in ((), ("--feature-dtype", "int8")):
            for share in self.check([graph, graph], *flags):
                self.assertGreater(share, 0.2)

    def test_by_degree_and_of_one_server(self):
        with processes.Server(self.graph, "--http", "127.0.0.1:0") as server:
            lines = sampling.lines(("servers", server.address), **OPTIONS,
                                   flags=("--trainer-cache", "4MB",
                                          "--trainer-cache-list", "degree"))
            self.assertEqual(lines, sampling.lines(self.graph, **OPTIONS))
            self.assertGreater(sampling.metric(server, LEFT_OUT), 0)

    def test_as_many_rows_as_pay(self):
        options = {"inputs": ALL, "fanouts": "10,10", "batch_size": 32}
        expected = sampling.lines(self.graph, **options)
        with processes.Server(self.graph, "--http", "127.0.0.1:0") as server:
            def leaves_rows_out():
                lines = sampling.lines(("servers", server.address), **options,
                                       flags=("--trainer-cache", "auto"))
                self.assertEqual(lines, expected)
                return sampling.metric(server, LEFT_OUT) > 0
            # A run that ends before its first rows have come has left none out.
            processes.until(leaves_rows_out)

    def test_a_short_run_holds_nothing_by_itself(self):
        with processes.Server(self.graph, "--http", "127.0.0.1:0") as server:
            sampling.lines(("servers", server.address), **OPTIONS, batches="0:20",
                           flags=("--trainer-cache", "auto"))
            self.assertEqual(sampling.metric(server, LEFT_OUT), 0)

    def test_one_copy_for_the_processes_of_a_machine(self):
        def held(process):
            with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
                return {line.split()[4] for line in maps
                        if "memfd:tributary" in line and " r--s " in line}

        with processes.Server(self.graph) as server:
            bench = ("bench", "stream", "--servers", server.address, "--input-nodes", ALL,
                     "--num-neighbors", "4,4", "--batch-size", "10", "--seconds", "60",
                     "--trainer-cache", "1")
            with processes.Process(*bench) as one, processes.Process(*bench) as other:
                processes.until(lambda: held(one) & held(other))
                self.assertEqual(held(one), held(other))
                # Who is left goes on with it.
                one.kill()
                one.wait()
                self.assertTrue(held(other))
                self.assertTrue(other.running())

    def test_without_a_list_a_warning(self):
        with processes.Server(self.without_list) as server:
            for flags, what in (((), "a hot list of this graph"),
                                (("--trainer-cache-list", "mine"), "the hot list 'mine'")):
                done = processes.run(*sampling.arguments(
                    ("servers", server.address), **OPTIONS, batches="0:2",
                    flags=("--trainer-cache", "0.1", *flags)))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"trainer_cache: no server has {what}; batches come whole",
                              done.stderr)

    def test_what_is_refused(self):
        for size in ("2", "-0.1", "much", ""):
            done = processes.run("sample", "--servers", "127.0.0.1:1", "--input-nodes", ALL,
                                 "--num-neighbors", "2", "--trainer-cache", size)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("auto, off, a share of the rows from 0 to 1 as 0.2, or a size of memory",
                          done.stderr)
        done = processes.run("sample", "--graph", self.graph, "--input-nodes", ALL,
                             "--num-neighbors", "2", "--trainer-cache", "0.1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--trainer-cache with --graph", done.stderr)

    def test_the_forecast(self):
        lines = self.made.stdout.splitlines()
        self.assertIn("rows covered", lines[0])
        covered = [float(line.split()[2].rstrip("%")) for line in lines[1:8]]
        self.assertEqual(covered, sorted(covered))
        self.assertEqual(covered[0], 0)
        self.assertGreater(covered[-1], 50)
        sent = [float(line.split()[3]) for line in lines[1:8]]
        self.assertEqual(sent, sorted(sent, reverse=True))
        self.assertIn("wrote", lines[8])
        self.assertIn("hot-lists/sampled", lines[8])

    def test_the_bytes_that_are_sent_are_those_predicted(self):
        graph = os.path.join(self.folder, "rmat")
        processes.run_ok("generate", "rmat", "--scale", "12", "--edges", "60000",
                         "--feat-dim", "32", "--out", graph)
        batches = ("--input-nodes", ALL, "--num-neighbors", "10,5", "--batch-size", "256")
        processes.run_ok("cache", "--graph", graph, *batches)
        said = processes.run_ok("cache", "--graph", graph, *batches, "--dry-run")
        predicted = {line.split()[0]: float(line.split()[3])
                     for line in said.splitlines()[1:8]}
        self.assertNotIn("wrote", said)

        def sent_of_a_batch(server, count):
            """The mean of the next `count` batches."""
            made, sent = sampling.metrics(server, BATCHES, SENT)
            processes.until(lambda: sampling.metric(server, BATCHES) >= made + count)
            made_then, sent_then = sampling.metrics(server, BATCHES, SENT)
            return (sent_then - sent) / (made_then - made)

        for share in ("off", "0.1", "0.2"):
            with processes.Server(graph, "--http", "127.0.0.1:0") as server, \
                    processes.Process("bench", "stream", "--servers", server.address,
                                      *batches, "--seconds", "120",
                                      "--trainer-cache", share):
                if share != "off":  # its rows are one piece
                    processes.until(lambda: sampling.metric(server, LEFT_OUT) > 0)
                sent_of_a_batch(server, 50)  # of those that were asked for before
                measured = sent_of_a_batch(server, 300)
                print(f"{share}: {measured:.0f} bytes of a batch, predicted "
                      f"{predicted[share]:.0f}")
                self.assertAlmostEqual(measured / predicted[share], 1, delta=0.05)

    def test_the_summary_says_what_was_sent(self):
        with processes.Server(self.graph, "--http", "127.0.0.1:0") as server:
            for flags in ((), ("--trainer-cache", "0.5")):
                before = {name: sampling.metric(server, name)
                          for name in (SENT, LEFT_OUT, COMPACT)}
                done = processes.run(*sampling.arguments(
                    ("servers", server.address), **OPTIONS, flags=(*flags, "--summary")))
                self.assertEqual(done.returncode, 0, done.stderr)
                count, whole, sent, mean, held, compact = map(float, re.search(
                    r"(\d+) batches of (\d+) bytes: (\d+) sent, (\d+) of a batch; not sent "
                    r"([0-9.]+) % by held rows, ([0-9.]+) % by compact edges",
                    done.stderr).groups())
                self.assertEqual(count, len(done.stdout.splitlines()))
                now = {name: sampling.metric(server, name) - was
                       for name, was in before.items()}
                self.assertEqual(sent, now[SENT])
                self.assertEqual(whole, sum(now.values()))
                self.assertAlmostEqual(mean, sent / count, delta=0.5)
                self.assertAlmostEqual(held, 100 * now[LEFT_OUT] / whole, delta=0.06)
                self.assertAlmostEqual(compact, 100 * now[COMPACT] / whole, delta=0.06)
                self.assertGreater(compact, 0)

    def test_a_broken_list_is_named(self):
        broken = os.path.join(self.folder, "broken")
        shutil.copytree(self.graph, broken)
        path = os.path.join(broken, "hot-lists", "sampled", "list.json")
        with open(path, "a", encoding="utf-8") as text:
            text.write("x")
        done = processes.run("serve", "--graph", broken, "--listen", "127.0.0.1:0")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("hot-lists/sampled", done.stderr)


if __name__ == "__main__":
    unittest.main()
