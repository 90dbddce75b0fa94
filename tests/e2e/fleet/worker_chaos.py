"""Kills, freezes and thaws workers, and kills trainers, round after round;
each round ends with nothing lost and nothing left behind.

    python3 -m tests.e2e.fleet.worker_chaos ROUNDS [SEED]
"""

import os
import random
import signal
import sys

from tests.e2e import folders, processes, sampling
from tests.e2e.processes import children_of, is_gone, signal_to, until

HARMS = ("kill one", "kill all", "freeze one", "freeze and thaw",
         "kill one twice", "kill the trainer")


class Chaos:
    def __init__(self, folder, seed):
        self._random = random.Random(seed)
        self._graph = folders.partition(folders.CORA,
                                        os.path.join(folder, "g"), 2)
        self._temporary = os.path.join(folder, "tmp")
        os.mkdir(self._temporary)
        self._options = dict(inputs=",".join(map(str, range(400))),
                             batch_size=4, fanouts="4,4")
        self._expected = sampling.lines(self._graph, **self._options)

    def round(self):
        harm = self._random.choice(HARMS)
        at = self._random.randrange(1, len(self._expected) - 20)
        segments = set(os.listdir("/dev/shm"))
        with processes.Process(
                *sampling.arguments(
                    self._graph, flags=("--mode", "mp", "--num-workers", 2,
                                        "--rpc-timeout", 20),
                    **self._options),
                small_pipe=True,
                environment={"TMPDIR": self._temporary}) as trainer:
            lines = [trainer.read_line() for _ in range(at)]
            workers = set(children_of(trainer))
            self._do(harm, trainer, lines, workers)
            if harm != "kill the trainer":
                lines += trainer.read_lines()
                assert trainer.wait() == 0, (harm, at, trainer.stderr())
        for pid in workers:
            until(lambda pid=pid: is_gone(pid))
        expected = self._expected
        if harm == "kill the trainer":
            expected = expected[:len(lines)]
        assert lines == expected, (harm, at)
        assert not os.listdir(self._temporary), (harm, at)
        left = [name for name in set(os.listdir("/dev/shm")) - segments
                if "tributary" in name]
        assert not left, (harm, at, left)

    def _do(self, harm, trainer, lines, workers):
        victim = self._random.choice(sorted(workers))
        if harm == "kill the trainer":
            if self._random.random() < 0.5:
                signal_to(victim, signal.SIGSTOP)
            trainer.kill()
        elif harm == "kill all":
            for pid in workers:
                signal_to(pid, signal.SIGKILL)
        elif harm.startswith("kill one"):
            signal_to(victim, signal.SIGKILL)
            if harm.endswith("twice"):
                until(lambda: set(children_of(trainer)) - workers
                      or not trainer.running())
                again = set(children_of(trainer)) - workers
                workers |= again
                for pid in again:
                    signal_to(pid, signal.SIGKILL)
        else:
            signal_to(victim, signal.SIGSTOP)
            if harm.endswith("thaw"):
                lines += [trainer.read_line() for _ in range(15)]
                signal_to(victim, signal.SIGCONT)


def main(rounds, seed):
    with processes.temporary_folder() as folder:
        chaos = Chaos(folder, seed)
        for done in range(rounds):
            try:
                chaos.round()
            except Exception:
                print(f"worker_chaos: round {done} of seed {seed} failed",
                      file=sys.stderr)
                raise
    print(f"worker_chaos: {rounds} rounds, seed {seed}: nothing lost")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
