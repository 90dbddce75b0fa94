"""Runs tributary-partition-mpi under mpirun on this machine."""

import os
import subprocess
import tempfile

PROGRAM = "cli/mpi/tributary-partition-mpi"
# Processes share two cores, run as root in containers, and stay on loopback.
MPIRUN = ["mpirun", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1",
          "--mca", "btl", "self,vader", "--mca", "oob_tcp_if_include", "lo",
          "--mca", "btl_vader_single_copy_mechanism", "none"]
DEADLINE = 240.0


def run(ranks, *args, hosts=None):
    """A CompletedProcess with text stdout and stderr.

    `hosts` is the text of a --hostfile, whose slots the ranks need; without it
    there may be more ranks than cores.

    mpirun names its folder of sessions and its shared memory by process ids,
    which are the same in two sandboxes that share /tmp and /dev/shm: each run
    has its own. It holds sockets, whose paths must be short, so TEST_TMPDIR
    will not do.
    """
    with tempfile.TemporaryDirectory(prefix="mpi-", dir="/tmp") as sessions:
        where = ["--oversubscribe"]
        if hosts is not None:
            where = ["--hostfile", os.path.join(sessions, "hosts")]
            with open(where[1], "w", encoding="utf-8") as file:
                file.write(hosts)
        return subprocess.run(
            [*MPIRUN, *where, "--mca", "btl_vader_backing_directory", sessions,
             "-np", str(ranks), PROGRAM, *map(str, args)], text=True,
            capture_output=True, timeout=DEADLINE, stdin=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": sessions,
                 "HOME": os.environ.get("TEST_TMPDIR", "/tmp")})


def run_ok(ranks, *args, hosts=None):
    done = run(ranks, *args, hosts=hosts)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}\n{done.stderr}")
    return done.stdout


def figures(line):
    """'wrote OUT nodes=3 cut=1 ...' as a dict of floats."""
    return {key: float(value) for key, value in
            (word.split("=") for word in line.split() if "=" in word)}
