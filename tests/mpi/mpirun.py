"""Runs tributary-partition-mpi under mpirun on this machine."""

import os
import subprocess

PROGRAM = "cli/mpi/tributary-partition-mpi"
# Processes share two cores, run as root in containers, and stay on loopback.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe",
          "--mca", "btl", "self,vader", "--mca", "oob_tcp_if_include", "lo",
          "--mca", "btl_vader_single_copy_mechanism", "none"]
DEADLINE = 240.0


def run(ranks, *args):
    return subprocess.run(
        [*MPIRUN, "-np", str(ranks), PROGRAM, *map(str, args)], text=True,
        capture_output=True, timeout=DEADLINE, stdin=subprocess.DEVNULL,
        env={**os.environ, "HOME": os.environ.get("TEST_TMPDIR", "/tmp")})


def run_ok(ranks, *args):
    done = run(ranks, *args)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}\n{done.stderr}")
    return done.stdout


def figures(line):
    """'wrote OUT nodes=3 cut=1 ...' as a dict of floats."""
    return {key: float(value) for key, value in
            (word.split("=") for word in line.split() if "=" in word)}
