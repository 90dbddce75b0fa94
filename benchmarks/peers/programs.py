"""Child processes that are asked for one line at a time, and end with all that they started."""

import json
import os
import pathlib
import select
import signal
import subprocess
import time

GRACE = 30  # seconds for a program to end by itself


class Failed(Exception):
    """A program did not do what it was asked for; the message says why."""


def members(group):
    """Returns the processes of a process group that have not ended."""
    found = set()
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[2]) == group and fields[0] not in "ZX":
            found.add(int(stat.parent.name))
    return found


def remove_segments(makers):
    """Removes the System V shared memory that killed processes have made."""
    for line in pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]:
        _, segment, _, _, maker, *_ = line.split()
        if int(maker) in makers:
            subprocess.run(["ipcrm", "-m", segment], check=False)


class Program:
    """A process in a group of its own, whose messages are written to a file."""

    def __init__(self, command, log, **options):
        self._log = log
        with open(log, "wb") as messages:
            self._popen = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages,
                text=True, start_new_session=True, **options)

    @property
    def pid(self):
        """Returns the process, which is also the group of all that it starts."""
        return self._popen.pid

    def complaint(self):
        """Returns the last line of its messages."""
        text = pathlib.Path(self._log).read_text(encoding="utf-8", errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else "no message"

    def check(self):
        """Raises Failed once it has ended."""
        if self._popen.poll() is not None:
            raise Failed(f"ended with {self._popen.returncode}: {self.complaint()}")

    def ask(self):
        self._popen.stdin.write("\n")
        self._popen.stdin.flush()

    def line(self, limit, others=()):
        """Returns the next line of its output; raises Failed after `limit` seconds, or when
        it or one of `others` has ended."""
        deadline = time.monotonic() + limit
        while not select.select([self._popen.stdout], [], [], 0.5)[0]:
            for program in others:
                program.check()
            if time.monotonic() > deadline:
                raise Failed(f"no answer in {limit} s; its last message: {self.complaint()}")
        text = self._popen.stdout.readline()
        if not text:
            self._popen.wait()
            self.check()
        return text

    def answer(self, limit, others=()):
        """Returns what the next line says in JSON."""
        return json.loads(self.line(limit, others))

    def close(self, grace=GRACE):
        """Ends it: its input ends, and after `grace` seconds its group is killed."""
        try:
            self._popen.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self._popen.wait(grace)
        except subprocess.TimeoutExpired:
            pass
        group = members(self.pid)
        if group:
            os.killpg(self.pid, signal.SIGKILL)
            self._popen.wait()
            while members(self.pid):  # killed, and about to end
                time.sleep(0.01)
            remove_segments(group)
        self._popen.stdout.close()
