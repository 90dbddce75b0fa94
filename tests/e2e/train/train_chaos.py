"""Stops the ranks and servers of one training run, again and again; it ends
with the bits of a run that nobody disturbed.

    python3 -m tests.e2e.train.train_chaos STOPS [SEED]
"""

import json
import os
import random
import re
import signal
import sys
import time

from tests.e2e import folders, processes
from tests.e2e.processes import children_of, is_gone, read_proc, signal_to

TRAINER = "trainer_client/torch/tributary-train"

RANKS = 3  # a sum of two is the same in either order
TRAIN = 300  # inputs
BATCH = 3
ROUNDS = -(-TRAIN // (RANKS * BATCH))  # of an epoch; ranks 1, 2 lack the last
STEPS = ROUNDS // 2  # of an epoch, with --accumulate 2
EVERY = 4  # steps between checkpoints
APART = 14  # steps between stops
TAIL = 8 * STEPS  # steps after the last stop is due

# What stops the run, and how many restarts of all ranks follow. A frozen rank
# is noticed after 12 s, so there are few.
HARMS = {"kill a rank": 1, "kill the writer of a checkpoint": 1,
         "kill a rank, and one that starts": 2, "freeze a rank": 1,
         "kill a server": 0, "kill all servers": 0}
OFTEN = ["kill a rank"] * 8 + ["kill the writer of a checkpoint"] * 4 + [
    "kill a server"] * 3 + ["kill all servers"] * 2 + [
        "kill a rank, and one that starts"] * 2 + ["freeze a rank"]


def schedule(stops, rng):
    """(step, harm) of each stop; of four or more, the first four differ."""
    first = ["kill the writer of a checkpoint", "kill all servers",
             "kill a rank, and one that starts", "freeze a rank"]
    rng.shuffle(first)
    harms = (first + rng.choices(OFTEN, k=stops))[:stops]
    return [(APART * i + rng.randrange(1, APART), harm)
            for i, harm in enumerate(harms)]


def until(condition, what, deadline=120):
    """The first true value of `condition`; looks often, to hit any moment."""
    end = time.monotonic() + deadline
    while not (value := condition()):
        if time.monotonic() > end:
            raise processes.Timeout(what)
        time.sleep(0.001)
    return value


def names_in(folder):
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def newest_checkpoint(folder):
    """The steps of the newest checkpoint; 0 without one."""
    return max((int(name[5:]) for name in names_in(folder)
                if re.fullmatch(r"step-\d+", name)), default=0)


class Run:
    """One run of the trainer; its files are in `folder`."""

    def __init__(self, folder, servers, epochs, restarts):
        self.folder = folder
        os.mkdir(folder)
        self.checkpoints = os.path.join(folder, "checkpoints")
        self.log = os.path.join(folder, "log")
        self.model = os.path.join(folder, "model.safetensors")
        self.process = processes.Process(
            "--servers", servers, "--nproc", RANKS, "--num-neighbors", "3,3",
            "--batch-size", BATCH, "--accumulate", 2, "--epochs", epochs, "--hidden", 8,
            "--dropout", 0.5, "--random-seed", 5, "--lr-schedule", "cosine",
            "--lr-unit", "step", "--lr-t-max", epochs * STEPS,
            "--rpc-timeout", 60, "--device", "cpu", "--no-progress",
            "--checkpoint-dir", self.checkpoints, "--checkpoint-every", EVERY,
            "--log", self.log, "--save-model", self.model,
            "--max-restarts", restarts, program=TRAINER,
            environment={"OMP_NUM_THREADS": "1"})

    def newest(self):
        assert self.process.running(), ("ended", self.process.stderr())
        return newest_checkpoint(self.checkpoints)

    def writes(self):
        """The steps of a checkpoint that is being written."""
        found = re.search(r"\.tmp-step-(\d+)(?: |$)",
                          " ".join(names_in(self.checkpoints)))
        return int(found.group(1)) if found else 0

    def ranks(self):
        """rank -> process."""
        found = {}
        for pid in children_of(self.process):
            words = (read_proc(f"/proc/{pid}/environ") or "").split("\0")
            for word in words:
                if word.startswith("RANK=") and not is_gone(pid):
                    found[int(word[5:])] = pid
        return found

    def finish(self):
        lines = self.process.read_lines()
        assert self.process.wait() == 0, self.process.stderr()
        return lines


def read(path):
    with open(path, "rb") as file:
        return file.read()


def without_times(line):
    """What a line of --log says that does not depend on time and restarts."""
    return {key: value for key, value in line.items()
            if key not in ("seconds", "wait_share", "step_seconds", "bytes",
                           "wire_bytes", "compact_bytes")}


def epochs_of(run):
    """epoch -> what --log says of it: the same each time it says it; and the
    result."""
    epochs, results = {}, []
    for line in map(json.loads, read(run.log).splitlines()):
        if line["event"] == "epoch":
            line = without_times(line)
            assert epochs.setdefault(line["epoch"], line) == line, line
        elif line["event"] == "result":
            results.append(without_times(line))
    assert len(results) == 1, results
    return epochs, results[0]


def assert_equal_runs(run, expected):
    epochs, result = epochs_of(run)
    epochs_expected, result_expected = epochs_of(expected)
    for epoch, line in epochs_expected.items():
        assert epochs.get(epoch) == line, (epochs.get(epoch), line)
    assert len(epochs) == len(epochs_expected), epochs
    assert result == result_expected, (result, result_expected)
    assert read(run.model) == read(expected.model)
    last = max(name for name in names_in(expected.checkpoints)
               if name.startswith("step-"))
    for name in ("model", "optimizer", "best"):
        file = os.path.join(last, name + ".safetensors")
        assert (read(os.path.join(run.checkpoints, file))
                == read(os.path.join(expected.checkpoints, file))), file


class Chaos:
    def __init__(self, folder, stops, seed):
        self._random = random.Random(seed)
        self._stops = schedule(stops, self._random)
        self._epochs = -(-(stops * APART + TAIL) // STEPS)
        self._folder = folder
        self._graph = self._make_graph(os.path.join(folder, "ogb"))
        self._seen = 0  # steps at the last stop
        self._half_written = 0  # checkpoints

    def _make_graph(self, at):
        nodes = list(range(TRAIN + 100))
        rng = self._random
        folders.write_ogb(
            at, len(nodes),
            [(rng.choice(nodes), v) for v in nodes for _ in range(6)],
            [[rng.uniform(-1, 1) + v % 4, float(v % 3)] for v in nodes],
            [[v % 4] for v in nodes],
            {"train": nodes[:TRAIN], "valid": nodes[TRAIN:TRAIN + 60],
             "test": nodes[TRAIN + 60:]})
        return folders.partition(at, at + ".graph", 2, "random")

    def _run(self, name, fleet, restarts):
        return Run(os.path.join(self._folder, name), fleet.addresses(),
                   self._epochs, restarts)

    def main(self):
        # Each holds one half: batches need both.
        with processes.Fleet(self._graph, ("0", "1")) as fleet:
            fleet.doctor()
            expected = self._run("expected", fleet, 0)
            with expected.process:
                expected.finish()
            restarts = sum(HARMS[harm] for _, harm in self._stops)
            run = self._run("run", fleet, restarts)
            with run.process:
                for step, harm in self._stops:
                    self._stop(run, fleet, step, harm)
                lines = run.finish()
                said = run.process.stderr()
        self._assert_stopped(lines, said, restarts)
        assert_equal_runs(run, expected)

    def _assert_stopped(self, lines, said, restarts):
        counted = re.findall(r"restart (\d+) of at most", said)
        assert counted == [str(1 + i) for i in range(restarts)], said
        resumed = [int(line.rsplit(" ", 1)[1]) for line in lines
                   if line.startswith("resumed from ")]
        # One that was killed while it started may not have said so.
        twice = sum(HARMS[harm] == 2 for _, harm in self._stops)
        assert restarts - twice <= len(resumed) <= restarts, lines
        assert not resumed or any(step % STEPS for step in resumed), resumed
        print(f"train_chaos: resumed after steps {resumed}; checkpoints that "
              f"were left half-written: {self._half_written}")

    def _stop(self, run, fleet, step, harm):
        """Does harm once `step` is done, and something since the last stop."""
        due = max(step, self._seen + 1)
        try:
            until(lambda: run.newest() >= due, (step, harm))
            if HARMS[harm] == 0:
                self._restart_servers(harm, fleet)
            else:
                self._stop_ranks(harm, run)
            self._seen = run.newest()
        except Exception:
            print(f"train_chaos: {harm} at step {step} failed: "
                  f"{run.process.stderr()}", file=sys.stderr)
            raise

    def _stop_ranks(self, harm, run):
        """Returns when they are gone: no checkpoint of theirs comes later."""
        ranks = run.ranks()
        victim = self._random.randrange(RANKS)
        if harm == "kill the writer of a checkpoint":
            victim = 0
            until(lambda: run.newest() and run.writes(), harm)
        number = (signal.SIGSTOP if harm.startswith("freeze")
                  else signal.SIGKILL)
        assert signal_to(ranks[victim], number), (harm, ranks)
        gone = set(ranks.values())
        if HARMS[harm] == 2:
            again = until(lambda: set(run.ranks().values()) - gone, harm)
            pid = self._random.choice(sorted(again))
            assert signal_to(pid, signal.SIGKILL), harm
            gone.add(pid)
        until(lambda: all(map(is_gone, gone)), harm)
        self._half_written += run.writes() != 0

    def _restart_servers(self, harm, fleet):
        which = range(len(fleet.servers))
        if harm == "kill a server":
            which = [self._random.choice(which)]
        for i in which:
            fleet.servers[i].kill()
        for i in which:
            fleet.restart(i)


def main(stops, seed):
    with processes.temporary_folder() as folder:
        Chaos(folder, stops, seed).main()
    print(f"train_chaos: {stops} stops, seed {seed}: the same bits")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
