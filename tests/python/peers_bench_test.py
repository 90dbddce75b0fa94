"""./dev bench peers, without the systems that it fetches."""

import ctypes
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from benchmarks.peers import environments, main, programs, report, rows, turn

BENCH = "benchmarks/peers/run.sh"
# 4096 nodes, so 4 batches of an epoch.
SMALL = ("--scale", "12", "--edges", "20000", "--batches", "4", "--seconds", "1", "--rounds", "1")
DEADLINE = 600  # seconds, of which it takes 20 on a machine that does nothing else
ROW = re.compile(r"^\| `([\w-]+)` \| (.*) \|$", re.M)


def run(*flags, **variables):
    """The finished process."""
    return subprocess.run([BENCH, *flags], text=True, capture_output=True, check=False,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL,
                          env={**os.environ, **variables})


def rows_of(text):
    """The cells of each row of the first table."""
    return {name: [cell.strip() for cell in cells.split("|")]
            for name, cells in ROW.findall(text)}


class ArgumentsTest(unittest.TestCase):
    def refused(self, *flags):
        done = run(*flags)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_an_unknown_row_is_refused(self):
        self.assertIn(f"'gdl'; allowed: {', '.join(rows.NAMES)}", self.refused("--only", "dgl,gdl"))

    def test_more_batches_than_the_graph_has_are_refused(self):
        self.assertIn("--batches 5: 2^12 nodes are 4 batches of 1024 inputs; allowed: fewer",
                      self.refused("--scale", "12", "--batches", "5"))

    def test_no_rounds_are_refused(self):
        self.assertIn("--rounds: 0; allowed: 1 and more", self.refused("--rounds", "0"))

    def test_a_file_in_no_folder_is_refused(self):
        self.assertIn("no-folder/raw.json: no such folder",
                      self.refused("--json", "no-folder/raw.json"))

    def test_the_list_names_each_row(self):
        done = run("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()],
                         list(rows.NAMES))


class RunTest(unittest.TestCase):
    def test_tributary_is_measured_and_a_peer_that_cannot_be_installed_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            raw = os.path.join(folder, "raw.json")
            done = run(*SMALL, "--json", raw, "--only",
                       "sample,dgl,pyg,mp,remote-cache,dgl-remote,glt-2",
                       XDG_CACHE_HOME=folder, PIP_NO_INDEX="1", PIP_FIND_LINKS="")
            self.assertEqual(done.returncode, 0, done.stderr)
            figures = json.loads(pathlib.Path(raw).read_text())
        found = rows_of(done.stdout)
        peers = ["dgl", "pyg", "dgl-remote", "glt-2"]
        ours = ["sample", "sample-all", "mp", "remote", "remote-cache", "remote-all"]
        self.assertEqual(set(found), {*peers, *ours})
        for name in peers:
            self.assertEqual(found[name][2:5], ["", "", ""], name)
            self.assertRegex(found[name][5], "^not installed: ERROR: .*")
            self.assertEqual(figures["rows"][name]["turns"], [])
        for name in ours:
            (one,) = figures["rows"][name]["turns"]
            self.assertGreater(one["inputs"], 0)
            self.assertEqual(found[name][2].split()[0],
                             f"{one['inputs'] / one['seconds'] / 1e3:.1f}")
            self.assertEqual(found[name][5], "")
        # All of a node's neighbours at each hop, again for those that are known.
        self.assertGreater(report.edges(figures["rows"]["sample-all"]),
                           1.1 * report.edges(figures["rows"]["sample"]))
        for limit in ("random cache lines of", "bytes of memcpy", "loopback TCP"):
            self.assertIn(limit, done.stdout)


    def test_nothing_is_left_after_sigterm(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = subprocess.Popen(
                [BENCH, *SMALL, "--rounds", "1000", "--only", "remote"], text=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": folder})
            self.addCleanup(bench.kill)
            said = [""]
            while "round 0" not in said[-1]:
                said.append(bench.stderr.readline())
                self.assertNotEqual(said[-1], "", said)
            (server,) = [int(path.parent.name) for path in pathlib.Path("/proc").glob("*/environ")
                         if self.is_server_in(path, folder)]
            bench.terminate()
            self.assertEqual(bench.wait(DEADLINE), 128 + signal.SIGTERM)
            bench.stderr.close()
            self.assertEqual(os.listdir(folder), [])
            self.assertEqual(programs.members(server), set())

    def is_server_in(self, environ, folder):
        try:
            return (f"TMPDIR={folder}\0".encode() in environ.read_bytes()
                    and b"\0serve\0" in environ.with_name("cmdline").read_bytes())
        except OSError:
            return False  # it has ended


def row_of(beside, rates, batch_edges=100, failure=None):
    """A row whose turns have these thousands of inputs per second, by round."""
    return {"title": "A title", "includes": "sampling only", "beside": beside, "versions": {},
            "failure": failure,
            "turns": [{"round": number, "batches": 10, "seconds": 2.0, "inputs": 2000 * rate,
                       "edges": 10 * batch_edges} for number, rate in rates.items()]}


class TableTest(unittest.TestCase):
    def table(self, **recorded):
        return rows_of("\n".join(report.table({"rows": recorded})))

    def test_a_ratio_is_that_of_one_round(self):
        found = self.table(ours=row_of("ours", {0: 100, 1: 10, 2: 40}),
                           peer=row_of("ours", {0: 50, 1: 20, 2: 10}))
        self.assertEqual(found["ours"][2:], ["40.0 (10.0 to 100.0)", "1", "0.1", ""])
        # 0.5, 2 and 0.25; the medians' ratio is 0.5 as well, the means' 0.53.
        self.assertEqual(found["peer"][2:],
                         ["20.0 (10.0 to 50.0)", "0.50 (0.25 to 2.00) of `ours`", "0.1", ""])

    def test_rounds_that_only_one_has_have_no_ratio(self):
        found = self.table(ours=row_of("ours", {0: 100, 1: 10}),
                           peer=row_of("ours", {1: 20}, failure="ended with -9: no message"))
        self.assertEqual(found["peer"][3:], ["2.00 (2.00 to 2.00) of `ours`", "0.1",
                                             "ended with -9: no message"])

    def test_other_batches_are_noted(self):
        found = self.table(ours=row_of("ours", {0: 1}), same=row_of("ours", {0: 1}, 101),
                           other=row_of("ours", {0: 1}, 97))
        self.assertEqual(found["same"][5], "")
        self.assertEqual(found["other"][5], "its batches have 0.97 of these edges")

    def test_a_row_without_turns_has_its_reason(self):
        found = self.table(peer=row_of("ours", {}, failure="not installed: no network"))
        self.assertEqual(found["peer"][2:], ["", "", "", "not installed: no network"])

    def test_versions_stand_beside_the_title(self):
        peer = {**row_of("ours", {0: 1}), "versions": {"dgl": "2.1.0", "torch": "2.2.1"}}
        self.assertEqual(self.table(peer=peer)["peer"][0], "A title (dgl 2.1.0, torch 2.2.1)")

    def test_limits_are_those_of_the_turns(self):
        row = row_of("ours", {0: 1, 1: 1, 2: 1})
        for one, limit, used in zip(row["turns"], (10e6, 30e6, 20e6), (5e6, 3e6, 4e6)):
            one.update(limit="lines", limit_per_second=limit, used_per_second=used)
        *_, last = report.limits({"rows": {"ours": row, "peer": row_of("ours", {0: 1})}})
        self.assertEqual(last, "| lines | 20 (10 to 30) million | `ours` | 0.20 (0.10 to 0.50) |")


class RowsTest(unittest.TestCase):
    def test_rows_of_tributary_come_along(self):
        self.assertEqual([row.name for row in rows.chosen(["dgl", "glt-2"])],
                         ["sample-all", "dgl", "remote", "glt-2"])

    def test_each_row_is_beside_one_of_tributary_that_includes_the_same(self):
        by_name = {row.name: row for row in rows.ROWS}
        for row in rows.ROWS:
            self.assertEqual(by_name[row.beside].environment, "")
            self.assertEqual(by_name[row.beside].includes, row.includes)
            self.assertEqual(by_name[row.beside].one_core, row.one_core)


class TurnTest(unittest.TestCase):
    def test_whole_epochs_are_read(self):
        epochs = []

        def epoch():
            epochs.append(1)
            return iter([(2, 30, 20), (1, 10, 5)])

        self.assertEqual({**turn.timed(epoch, 0), "seconds": 0},
                         {"batches": 2, "inputs": 3, "edges": 40, "nodes": 25, "seconds": 0})
        many = turn.timed(epoch, 0.01)
        self.assertGreaterEqual(many["seconds"], 0.01)
        self.assertEqual(many["batches"], 2 * (len(epochs) - 1))


class FailingWay:
    """Has a turn, a failure, and turns."""

    def __init__(self):
        self.asked = 0

    def turn(self):
        self.asked += 1
        if self.asked == 2:
            raise programs.Failed("ended with 1: a | b")
        return {"batches": 1, "seconds": 1.0, "inputs": 7, "edges": 9}


class TurnsTest(unittest.TestCase):
    def test_a_failure_ends_the_turns_of_its_row(self):
        turns = main.Turns(rows.ROWS[0], FailingWay())
        for number in range(3):
            turns.take(number)
        self.assertEqual(turns.figures["failure"], "ended with 1: a / b")
        self.assertEqual([one["round"] for one in turns.figures["turns"]], [0])


class ProgramTest(unittest.TestCase):
    def start(self, code):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = programs.Program([sys.executable, "-c", code],
                                   os.path.join(folder.name, "log"))
        self.addCleanup(program.close, 0)
        return program

    def test_a_program_that_ends_says_why(self):
        program = self.start("raise SystemExit('no such graph')")
        with self.assertRaisesRegex(programs.Failed, "ended with 1: no such graph"):
            program.answer(60)

    def test_the_end_of_a_server_is_seen(self):
        server = self.start("raise SystemExit('no port is free')")
        reader = self.start("input()")
        with self.assertRaisesRegex(programs.Failed, "ended with 1: no port is free"):
            reader.answer(60, [server])

    def test_a_program_that_hangs_is_given_up(self):
        with self.assertRaisesRegex(programs.Failed, "no answer in 1 s; .*: no message"):
            self.start("input()").answer(1)

    def test_all_that_it_started_ends_with_it(self):
        child = "import time; time.sleep(1000)"
        program = self.start("import subprocess, sys; "
                             f"print(subprocess.Popen([sys.executable, '-c', '{child}']).pid, "
                             "flush=True); input()")
        started, group = int(program.line(60)), program.pid
        self.assertIn(started, programs.members(group))
        program.close(60)
        self.assertEqual(programs.members(group), set())


    def test_shared_memory_of_a_killed_program_is_removed(self):
        program = self.start("import ctypes; print(ctypes.CDLL(None).shmget(0, 4096, 0o1600), "
                             "flush=True); input()")
        segment = program.line(60).strip()

        def segments():
            lines = pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
            return [line.split()[1] for line in lines]

        self.assertIn(segment, segments())
        os.kill(program.pid, signal.SIGSTOP)  # or it would end by itself
        program.close(0)
        self.assertNotIn(segment, segments())


class EnvironmentsTest(unittest.TestCase):
    def test_empty_libraries_let_torch_be_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            site, cudnn = pathlib.Path(folder, "site"), "libcudnn.so.8"
            library = site / "torch/lib/libtorch_python.so"
            library.parent.mkdir(parents=True)
            environments.compile_library(pathlib.Path(folder), cudnn, ["cudnnDestroy"])
            source = pathlib.Path(folder, "torch.c")
            source.write_text("void cudnnDestroy(void);\nvoid (*destroy)(void) = cudnnDestroy;\n")
            subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source),
                            os.path.join(folder, cudnn)], check=True)
            os.remove(os.path.join(folder, cudnn))
            with self.assertRaises(OSError):
                ctypes.CDLL(str(library), os.RTLD_LAZY)
            self.assertEqual(environments.absent_libraries(site), {cudnn: {"cudnnDestroy"}})
            empty = environments.make_empty_libraries(site)
            subprocess.run([sys.executable, "-c",
                            f"import ctypes; ctypes.CDLL({str(library)!r}, {os.RTLD_LAZY})"],
                           env={**os.environ, "LD_LIBRARY_PATH": str(empty)}, check=True)

    def test_pins_have_hashes_and_nothing_for_gpus_but_what_the_cpu_needs(self):
        for name in ("dgl", "glt"):
            lines = pathlib.Path(f"benchmarks/peers/requirements_{name}.txt").read_text()
            pins = [line for line in lines.splitlines() if not line.startswith("#")]
            self.assertTrue(all(re.fullmatch(r"\S+==\S+ --hash=sha256:\w{64}", pin)
                                for pin in pins))
            self.assertEqual([pin.split("==")[0] for pin in pins if "nvidia" in pin],
                             ["nvidia-cuda-cupti-cu12", "nvidia-cuda-runtime-cu12"])


if __name__ == "__main__":
    unittest.main()
