"""`partition` killed at random moments: the same command goes on, and the graph
is that of a run that nobody killed, to the byte. After a change of its input it
begins anew."""

import gzip
import hashlib
import json
import os
import random
import shutil
import signal
import threading
import time
import unittest

import numpy as np

from tests.e2e import folders, processes

KILLS = 20
SEED = 7
NODES, EDGES = 20_000, 60_000


def digest(folder):
    """The SHA-256 of all files, without what a killed run has left of a list."""
    sum_of_all = hashlib.sha256()
    for root, names, files in sorted(os.walk(folder)):
        if ".tmp-" in root:
            continue
        names.sort()
        for name in sorted(files):
            path = os.path.join(root, name)
            sum_of_all.update(os.path.relpath(path, folder).encode() + b"\0")
            with open(path, "rb") as file:
                sum_of_all.update(file.read())
    return sum_of_all.hexdigest()


def ogb_text(folder):
    folders.random_ogb(folder, random.Random(1), NODES, EDGES, True)
    return ["--format", "ogb", "--input", folder]


def edge_list_of_words(folder):
    rng = random.Random(2)
    os.makedirs(folder)
    with open(os.path.join(folder, "nodes.csv"), "w") as file:
        file.write("id,age\n")
        file.writelines(f"user {v:x},{rng.randrange(10, 99)}\n" for v in range(NODES))
    with open(os.path.join(folder, "edges.csv"), "w") as file:
        file.write("src,dst,trust\n")
        file.writelines(f"user {rng.randrange(NODES):x},user {rng.randrange(NODES):x},"
                        f"{rng.randrange(10, 99)}\n" for _ in range(EDGES))
    return ["--format", "edge-list", "--input", folder, "--features", "age",
            "--edge-weight", "trust"]


def array_folder(folder):
    rng = np.random.default_rng(3)
    os.makedirs(folder)
    for name, array in {"edge_index": rng.integers(0, NODES, (2, EDGES)),
                        "edge_time": rng.integers(0, 99, EDGES),
                        "x": rng.random((NODES, 4), np.float32),
                        "y": rng.integers(0, 9, NODES)}.items():
        np.save(os.path.join(folder, name + ".npy"), array)
    return ["--format", "npy", "--input", folder]


def chunks_elsewhere(folder):
    """DGL's, whose labels have an absolute path out of the folder."""
    os.makedirs(folder)
    np.savetxt(os.path.join(folder, "ends.txt"),
               np.random.default_rng(4).integers(0, NODES, (EDGES, 2)), "%d")
    labels = os.path.abspath(folder + "-labels.txt")
    np.savetxt(labels, np.arange(NODES) % 7 + 10, "%d")
    csv = {"name": "csv", "delimiter": " "}
    with open(os.path.join(folder, "metadata.json"), "w") as file:
        json.dump({
            "graph_name": "made", "node_type": ["_N"], "edge_type": ["_N:_E:_N"],
            "num_nodes_per_type": [NODES], "num_edges_per_type": [EDGES],
            "edges": {"_N:_E:_N": {"format": csv, "data": ["ends.txt"]}},
            "node_data": {"_N": {"label": {"format": csv, "data": [labels]}}}}, file)
    return ["--format", "dgl-chunked", "--input", folder]


def config_of_tables(folder):
    """A config whose tables are out of its folder."""
    edge_list_of_words(folder + "-tables")
    os.makedirs(folder)
    tables = os.path.abspath(folder + "-tables")
    config = os.path.join(folder, "graph.json")
    with open(config, "w") as file:
        json.dump({"nodes": {"node": {"table": tables + "/nodes.csv",
                                      "features": ["age"]}},
                   "edges": {"node,to,node": {"table": tables + "/edges.csv",
                                              "weight": "trust"}}}, file)
    return ["--format", "edge-list", "--config", config]


def ogb_behind_links(folder):
    """Its folder `raw` is a link to another place."""
    flags = ogb_text(folder)
    os.rename(os.path.join(folder, "raw"), folder + "-raw")
    os.symlink(os.path.abspath(folder + "-raw"), os.path.join(folder, "raw"))
    return flags


def change(path):
    """Replaces the last digit, or an array's last value; plain files keep their
    size."""
    if path.endswith(".npy"):
        array = np.load(path)
        array.flat[-1] = 1 if array.flat[-1] != 1 else 0
        np.save(path, array)
        return
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        content = bytearray(file.read())
    at = max(content.rfind(str(digit).encode()) for digit in range(10))
    content[at:at + 1] = b"2" if content[at:at + 1] == b"1" else b"1"
    with opened(path, "wb") as file:
        file.write(content)


class Partition:
    """A command, and what it has left after a kill."""

    def __init__(self, flags, out):
        self.out, self.work = out, out + ".partial"
        self.command = ["partition", *flags, "--out", out, "--num-parts", "3",
                        "--degrees", "--edge-index", "--memory", "512MiB",
                        "--threads", "2"]

    def go_on(self):
        """The same command, after one that may have ended between the graph and
        its hot list."""
        return processes.run(*self.command, "--keep-existing")

    def identified(self):
        """Whether the folder of work says which run has left it."""
        try:
            return os.path.getsize(os.path.join(self.work, "run.identity")) == 64
        except FileNotFoundError:
            return False

    def finished(self):
        """The files of the stages that are finished, with what changes when one
        is written anew: parsed columns, and the plan."""
        files = {}
        for root, _, names in os.walk(self.work):
            for name in names:
                if name.endswith(".rows") or name == "plan.txt":
                    path = os.path.join(root, name)
                    seen = os.stat(path)
                    files[path] = (seen.st_ino, seen.st_mtime_ns)
        return files

    def kill_after(self, seconds):
        """Returns the exit code and what was printed on stderr."""
        with processes.Process(*self.command) as running:
            timer = threading.Timer(seconds, running.send, [signal.SIGKILL])
            timer.start()
            code = running.wait()
            timer.cancel()
            timer.join()
            return code, running.stderr()

    def leave_work(self):
        """Kills runs until one has left a finished stage."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with processes.Process(*self.command) as running:
                while running.running() and not self.finished():
                    time.sleep(0.001)
                running.kill()
            if not os.path.exists(self.out):
                return
            shutil.rmtree(self.out)  # it was too fast
            shutil.rmtree(self.work, ignore_errors=True)
        raise processes.Timeout("no run was killed after a stage")


CASES = {
    "OGB's text by ldg": (ogb_text, "ldg"),
    "an edge list of words at random": (edge_list_of_words, "random"),
    "arrays by METIS": (array_folder, "metis"),
}


class PartitionKillTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())

    def path(self, name):
        return os.path.join(self.folder, name)

    def made(self, write, *method):
        """The Partition to kill, and one of the same input that is left alone."""
        flags = [*write(self.path("source")), *method]
        return (Partition(flags, self.path("graph")),
                Partition(flags, self.path("whole")))

    def test_the_same_command_goes_on(self):
        for case, (write, method) in CASES.items():
            with self.subTest(case), processes.temporary_folder() as self.folder:
                run, whole = self.made(write, "--method", method)
                begin = time.monotonic()
                processes.run_ok(*whole.command)
                took = time.monotonic() - begin
                self.kill_and_go_on(run, took, digest(whole.out))

    def kill_and_go_on(self, run, took, expected):
        rng = random.Random(SEED)
        killed = went_on = 0
        while killed < KILLS:
            survived = run.identified()
            finished = run.finished() if survived else {}
            # A kill at any moment is right: this one is only likely to come
            # before the end.
            code, said = run.kill_after(rng.uniform(0, 1) * took)
            if code == -signal.SIGKILL:
                killed += 1
                if not os.path.exists(run.out):
                    # No finished stage was begun anew.
                    after = run.finished()
                    self.assertEqual({path: after.get(path) for path in finished},
                                     finished)
                    continue
                # The graph is whole; its hot list need not be there yet.
                done = run.go_on()
                self.assertEqual(done.returncode, 0, done.stderr)
            else:
                self.assertEqual(code, 0, said)
                self.assertEqual("goes on with" in said, survived, said)
                self.assertFalse(os.path.exists(run.work))
                went_on += survived
            self.assertEqual(digest(run.out), expected)
            shutil.rmtree(run.out)
        survived = run.identified()
        done = processes.run(*run.command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual("goes on with" in done.stderr, survived, done.stderr)
        self.assertEqual(digest(run.out), expected)
        self.assertFalse(os.path.exists(run.work))
        self.assertGreater(went_on + survived, 0)

    def test_other_flags_begin_anew(self):
        run, _ = self.made(ogb_text, "--method", "ldg")
        run.leave_work()
        self.assertFalse(os.path.exists(run.out))
        done = processes.run(*run.command, "--add-reverse")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("goes on with", done.stderr)
        processes.run_ok("verify", run.out, "--against", self.path("source"),
                         "--add-reverse")

    def test_a_changed_file_of_the_input_begins_anew(self):
        for write, changed in ((ogb_text, "source/raw/node-feat.csv.gz"),
                               (ogb_behind_links, "source-raw/node-feat.csv.gz"),
                               (edge_list_of_words, "source/nodes.csv"),
                               (edge_list_of_words, "source/edges.csv"),
                               (array_folder, "source/x.npy"),
                               (chunks_elsewhere, "source-labels.txt"),
                               (config_of_tables, "source-tables/edges.csv")):
            with self.subTest(write.__name__, changed=changed), \
                    processes.temporary_folder() as self.folder:
                self.check_change(changed, *self.made(write, "--method", "ldg"))

    def check_change(self, changed, run, whole):
        processes.run_ok(*whole.command)
        before = digest(whole.out)
        shutil.rmtree(whole.out)
        run.leave_work()
        self.assertTrue(run.identified())
        change(self.path(changed))
        done = processes.run(*run.command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("goes on with", done.stderr)
        processes.run_ok(*whole.command)
        self.assertNotEqual(digest(whole.out), before)
        self.assertEqual(digest(run.out), digest(whole.out))

    def test_a_changed_assignment_begins_anew(self):
        placed = self.path("placed.npy")
        np.save(placed, np.arange(NODES) % 3)
        run, whole = self.made(ogb_text, "--assignment", placed)
        self.check_change("placed.npy", run, whole)


if __name__ == "__main__":
    unittest.main()
