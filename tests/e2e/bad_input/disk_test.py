"""Disks that are full, and outputs that go nowhere."""

import os
import resource
import signal
import subprocess
import unittest


from tests.e2e.bad_input.cases import Case, Table
from tests.e2e.bad_input.privileges import (no_override, own_mounts,
                                            why_not, why_override)

GENERATE = ("generate", "rmat", "--scale", "8", "--edges", "2000",
            "--feat-dim", "32", "--out")
PARTITION = ("partition", "--input", "{source}", "--out")
SAMPLE = ("sample", "--graph", "{graph}", "--input-nodes", "train",
          "--num-neighbors", "2,2")
BENCH = ("bench", "sample", "--scale", "8", "--edges", "2000")


def small_files():
    """No file may grow beyond 200 bytes; the write that would fails."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # as a shell starts us


def chmod(name, mode):
    def spoil(here):
        os.mkdir(os.path.join(here, name))
        os.chmod(os.path.join(here, name), mode)
    return spoil


CASES = [
    # A file that may not grow: the write fails in the middle.
    Case("partition into files too small", (*PARTITION, "{here}/out"),
         ("cannot write", "{here}/out", "too large"), preexec=small_files),
    Case("generate into files too small", (*GENERATE, "{here}/out"),
         ("cannot write", "{here}/out", "too large"), preexec=small_files),
    Case("sample into files too small", (*SAMPLE, "--out", "{here}"),
         ("cannot write", "{here}", "too large"), preexec=small_files),
    Case("bench into files too small", BENCH,
         ("cannot write", "{here}", "too large"), preexec=small_files),
    # Folders that may not be written to.
    *(Case(name + " into a folder of others", args,
           ("{here}/closed", "Permission denied"), preexec=no_override,
           skip=why_override, spoil=chmod("closed", 0o555))
      for name, args in (
          ("partition", (*PARTITION, "{here}/closed/out")),
          ("generate", (*GENERATE, "{here}/closed/out")),
          ("sample", (*SAMPLE, "--out", "{here}/closed/out")),
          ("sample too", (*SAMPLE, "--out", "{here}/closed")))),
    Case("bench without a folder for temporary files", BENCH,
         ("{here}/closed", "Permission denied", "TMPDIR"),
         preexec=no_override, skip=why_override,
         spoil=chmod("closed", 0o555)),
    Case("partition over a link to nothing", (*PARTITION, "{here}/link"),
         ("{here}/link", "exists"),
         spoil=lambda here: os.symlink("/no/such", here + "/link")),
    Case("sample over a link to nothing",
         (*SAMPLE, "--out", "{here}/link"), ("{here}/link", "folder"),
         spoil=lambda here: os.symlink("/no/such", here + "/link")),
]

# Commands whose output may find no room, and what they say with room.
PRINTING = [
    ("sample", SAMPLE), ("inspect", ("inspect", "{graph}")),
    ("inspect --json", ("inspect", "{graph}", "--json")),
    ("verify", ("verify", "{graph}")),
    ("doctor", ("doctor", "--graph", "{graph}")),
    ("bench", ("bench", "gather", "--graph", "{graph}", "--batch-size", "1",
               "--num-neighbors", "2")),
    ("--help", ("--help",)), ("--version", ("--version",)),
]


class DiskTest(Table):
    CASES = CASES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.paths = {"graph": cls.write_graph(),
                     "source": os.path.join(cls.folder, "source")}

    def environment(self, here):
        closed = os.path.join(here, "closed")
        return os.environ | {
            "TMPDIR": closed if os.path.isdir(closed) else here}

    def check_refused(self, case, done):
        here = os.path.join(self.folder, self._testMethodName)
        words = tuple(self.fill(word, here) for word in case.words)
        super().check_refused(Case(case.name, case.args, words, case.code),
                              done)

    def test_what_the_cases_change_works(self):
        for args in ((*PARTITION, "{here}/p"), (*GENERATE, "{here}/g"),
                     (*SAMPLE, "--out", "{here}/s")):
            self.works(*args)
        self.assertEqual(sorted(os.listdir(self.folder + "/s")),
                         [f"batch-0-{i}.npz" for i in range(3)])

    def run_into(self, args, stdout):
        return subprocess.run(
            [self.program, *(self.fill(word, self.folder) for word in args)],
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
            timeout=10)

    def refused_output(self, done, *words):
        self.check_refused(Case("", (), words), subprocess.CompletedProcess(
            done.args, done.returncode, b"", done.stderr))

    def test_no_space_left(self):
        """On a file system of 64 KiB that only the program sees."""
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        preexec = own_mounts("none", disk, b"tmpfs", 0, b"size=64k")
        why = why_not(preexec, "a mount namespace")
        if why:
            self.skipTest(why)
        args = [self.fill(word, self.folder) for word in GENERATE]
        done = subprocess.run(
            ["sh", "-c", '"$@"; code=$?; find . -mindepth 1; exit $code', "sh",
             os.path.abspath(self.program), *args, disk + "/out"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10,
            preexec_fn=lambda: (preexec(), os.chdir(disk)))
        self.check_refused(Case("", (), (
            "cannot write", "No space left on device")), done)


def add_printing_cases():
    def full(args):
        def test(self):
            with open("/dev/full", "wb") as f:
                done = self.run_into(args, f)
            self.refused_output(done, "stdout", "No space left")
        return test

    def gone(args):
        def test(self):
            reader, writer = os.pipe()
            os.close(reader)
            with os.fdopen(writer, "wb") as f:
                done = self.run_into(args, f)
            self.refused_output(done, "stdout", "Broken pipe")
        return test

    for name, args in PRINTING:
        name = name.strip("-").replace(" --", "_")
        setattr(DiskTest, f"test_{name}_to_a_full_disk", full(args))
        setattr(DiskTest, f"test_{name}_to_nobody", gone(args))


add_printing_cases()

if __name__ == "__main__":
    unittest.main()
