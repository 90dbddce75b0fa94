"""A table of cases as unit tests: what is refused, and how, is one for all.

A refused command ends within its deadline, with exit code 1 (2: the command
line is wrong), with one to three lines on stderr that say what, where and what
is allowed, with nothing on stdout (but of reports, the line that says `fail`),
and leaves no file or folder that was not there before.
"""

import dataclasses
import os
import re
import subprocess
import unittest
from typing import Callable, Optional

from tests.e2e import folders, processes

FAILURE, USAGE = 1, 2
DEADLINE = 10.0  # seconds

ROWS = [(0, 1), (1, 2), (2, 0)]


@dataclasses.dataclass(frozen=True)
class Case:
    """`name` becomes the test's; {here} in `args` is the case's own folder.

    `spoil(here)` runs before, in a copy of the table's base if it has one;
    `report`: words of stdout, for commands that print a line a check.
    `preexec` runs in the child; when it cannot be had, `skip` says why; `env`
    is added to the environment.
    """

    name: str
    args: tuple
    words: tuple
    code: int = FAILURE
    spoil: Optional[Callable] = None
    report: Optional[tuple] = None
    preexec: Optional[Callable] = None
    skip: Optional[Callable] = None
    env: Optional[dict] = None
    deadline: float = DEADLINE


def tree(folder):
    """Each path below, a folder's with '/' at its end."""
    return sorted(
        os.path.relpath(os.path.join(at, name), folder) + mark
        for at, below, files in os.walk(folder)
        for names, mark in ((below, "/"), (files, "")) for name in names)


def is_shown(char):
    return char == "\n" or char.isprintable()


class Table(unittest.TestCase):
    """Subclasses set CASES; each row is a test of its own."""

    CASES = ()
    program = processes.TRIBUTARY
    who = "tributary"

    def __init_subclass__(cls):
        super().__init_subclass__()
        for number, case in enumerate(cls.CASES):
            name = re.sub(r"\W+", "_", case.name).strip("_")
            setattr(cls, f"test_{number:03}_{name}",
                    lambda self, case=case: self.check(case))

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.paths = {}

    @classmethod
    def write_source(cls, path, **columns):
        columns = {"x": [[1, 2], [3, 4], [5, 6]], "y": [[0], [1], [2]],
                   "splits": {"train": [0, 1, 2]}} | columns
        return folders.write_ogb(path, 3, ROWS, **columns)

    @classmethod
    def write_graph(cls, name="graph", **columns):
        source = cls.write_source(os.path.join(cls.folder, "source"),
                                  **columns)
        return folders.partition(source, os.path.join(cls.folder, name), 2)

    def prepare(self, case, here):
        """Puts what `case` spoils into its folder."""

    def fill(self, word, here):
        for name, path in {**self.paths, "here": here}.items():
            word = word.replace("{" + name + "}", path)
        return word

    def environment(self, here):
        return os.environ | {"TMPDIR": here}

    def run_program(self, args, here, deadline=DEADLINE, preexec=None,
                    env=None):
        return subprocess.run(
            [self.program, *args], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=deadline,
            env=self.environment(here) | (env or {}), preexec_fn=preexec)

    def check(self, case):
        if case.skip and (why := case.skip()):
            self.skipTest(why)
        here = os.path.join(self.folder, self._testMethodName)
        os.mkdir(here)
        self.prepare(case, here)
        if case.spoil:
            case.spoil(here)
        before = tree(here)
        args = [self.fill(word, here) for word in case.args]
        done = self.run_program(args, here, case.deadline, case.preexec,
                                case.env)
        self.check_refused(case, done)
        self.assertEqual(tree(here), before)

    def check_refused(self, case, done):
        stderr = done.stderr.decode()  # UTF-8, whatever the input was
        stdout = done.stdout.decode()
        self.assertEqual(done.returncode, case.code, stderr + stdout)
        self.assertIn(len(stderr.splitlines()), (1, 2, 3), stderr)
        self.assertTrue(stderr.endswith("\n"), stderr)
        self.assertTrue(stderr.startswith(self.who), stderr)
        self.assertTrue(all(map(is_shown, stderr + stdout)), repr(stderr))
        self.assertLess(max(map(len, stderr.splitlines())), 9000)
        for word in case.words:
            self.assertIn(word, stderr)
        if case.report is None:
            self.assertEqual(stdout, "")
            return
        for word in case.report:
            self.assertIn(word, stdout)

    def works(self, *args):
        """A positive control: what the cases change is accepted as it is."""
        done = self.run_program([self.fill(str(a), self.folder)
                                 for a in args], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()


def options(base, **changes):
    """{"--a-b": "1"} as words; a_b="2" changes one, a_b=None leaves it out."""
    changes = {"--" + name.replace("_", "-"): value
               for name, value in changes.items()}
    return tuple(word for option, value in (base | changes).items()
                 if value is not None for word in (option, value))
