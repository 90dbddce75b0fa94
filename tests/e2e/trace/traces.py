"""Runs `sample --trace` and reads what it and `status --batch` print."""

import re

from tests.e2e import processes, sampling

NAME = re.compile(r"^batch (\d+)/(\d+) of job (.+): (\S+) ms, \d+ bytes, trace ([0-9a-f]{32})$")


class Traced:
    """The lines of stdout, and of each batch, by its index, those of its trace."""

    def __init__(self, where, *flags, **options):
        done = processes.run(*sampling.arguments(where, flags=("--trace", *flags), **options))
        if done.returncode != 0:
            raise AssertionError(f"exit {done.returncode}\n{done.stderr}")
        self.lines = done.stdout.splitlines()
        self.stderr = done.stderr
        self.batches = {}
        lines = None
        for line in done.stderr.splitlines():
            name = NAME.match(line)
            if name:
                lines = self.batches.setdefault(int(name[2]), [])
            if lines is not None:
                lines.append(line)

    def explanation(self, index):
        """The last line of a batch's trace."""
        return self.batches[index][-1]

    def explained(self, pattern):
        """Of the batches that are explained so, the one that it cost most."""
        found = [index for index in self.batches if re.search(pattern, self.explanation(index))]
        if not found:
            raise AssertionError(f"no batch is explained by {pattern!r}:\n{self.stderr}")
        return max(found, key=lambda index: milliseconds(self.explanation(index))[0])


def milliseconds(explanation):
    """What it was most of, and of how many."""
    found = re.match(r"Most of it: (\S+) of (\S+) ms ", explanation)
    return float(found[1]), float(found[2])


def status(servers, batch, *flags):
    """The lines that servers say of a batch, JOB/EPOCH/INDEX."""
    return processes.run_ok("status", "--servers", servers, "--batch", batch, *flags).splitlines()


def stages(lines):
    """The milliseconds of each stage in a trace's table."""
    return {found[1]: float(found[2]) for line in lines
            if (found := re.match(r"  (\w+) +(\S+) +\d+ %", line))}
