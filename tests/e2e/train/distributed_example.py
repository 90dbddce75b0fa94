"""Runs examples/distributed with two ranks, in each way that starts them."""

import os
import re
import subprocess

from tests.e2e import folders, processes

IN_CHECKOUT = "examples/distributed/trainer"
EPOCHS = 20
DEADLINE = 240  # seconds, on a machine that does other things too


def environment(**variables):
    """Without variables of a launcher but these."""
    own = {name: value for name, value in os.environ.items()
           if not name.startswith("TRIBUTARY_")}
    return {**own, "OMP_NUM_THREADS": "1", **variables}


def by_launcher(program, servers):
    """The output of a run whose ranks tributary's launcher starts."""
    done = subprocess.run([program, servers, str(EPOCHS), "2"], text=True,
                          capture_output=True, timeout=DEADLINE, check=False,
                          env=environment())
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {done.stderr}")
    return done.stdout


def by_torchrun(program, servers):
    """The output of rank 0, of ranks with the variables that torchrun sets."""
    port = str(processes.held_ports(1)[0])
    ranks = [subprocess.Popen(
        [program, servers, str(EPOCHS)], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment(
            RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2",
            MASTER_ADDR="127.0.0.1", MASTER_PORT=port)) for rank in range(2)]
    try:
        outputs = [rank.communicate(timeout=DEADLINE) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
    for rank, (out, errors) in zip(ranks, outputs):
        if rank.returncode != 0:
            raise AssertionError(f"exit {rank.returncode}: {errors}\n{out}")
    if outputs[1][0] != "":
        raise AssertionError(f"rank 1 printed {outputs[1][0]}")
    return outputs[0][0]


def check(test, program):
    """That both ways train Cora over a fleet, and to the same result."""
    with processes.temporary_folder() as folder:
        graph = folders.partition(folders.CORA, os.path.join(folder, "cora"), 2)
        with processes.Fleet(graph, ["0", "1"]) as fleet:
            fleet.doctor()
            launched = by_launcher(program, fleet.addresses())
            under_torchrun = by_torchrun(program, fleet.addresses())
    losses = [float(loss) for loss in
              re.findall(r"^epoch \d+ loss (\S+)$", launched, re.M)]
    print(launched)
    test.assertEqual(len(losses), EPOCHS, launched)
    test.assertLess(losses[-1], losses[0] / 4)
    found = re.search(r"^result ranks=2 test_accuracy=(\S+)$", launched, re.M)
    test.assertIsNotNone(found, launched)
    test.assertGreater(float(found.group(1)), 0.7)
    test.assertEqual(under_torchrun, launched)
