"""An agent of `tributary launch`, spoken with as the launcher does."""

import glob
import json
import os
import select
import subprocess
import tempfile
import time
import uuid

from tests.e2e import processes

MARK = "TRIBUTARY_TEST_MARK"


class Mark:
    """A variable by which all that a test starts is found, whoever its parent."""

    def __init__(self):
        self._value = uuid.uuid4().hex
        self.environment = {MARK: self._value}

    def pids(self):
        """Those that have not ended."""
        wanted = f"{MARK}={self._value}\0"
        found = []
        for path in glob.glob("/proc/[0-9]*"):
            pid = int(os.path.basename(path))
            try:
                text = processes.read_proc(path + "/environ")
            except PermissionError:
                continue  # another user's
            if text and wanted in text and not processes.is_gone(pid):
                found.append(pid)
        return found


class Stillness:
    """Tells for how long processes have been waiting: asleep whenever looked at,
    and without a byte read or written. One that only gets no CPU of a busy
    machine is not asleep.

    `pids` returns their process ids.
    """

    def __init__(self, pids):
        self._pids = pids
        self._bytes = None
        self._since = time.monotonic()

    def seconds(self):
        looks = [_look(pid) for pid in self._pids()]
        moved = sum(count for count, _ in looks)
        if moved != self._bytes or not all(asleep for _, asleep in looks):
            self._bytes = moved
            self._since = time.monotonic()
        return time.monotonic() - self._since


def _look(pid):
    """The bytes that it has read and written, and whether it is asleep."""
    text = processes.read_proc(f"/proc/{pid}/io") or ""
    counts = dict(line.split(": ") for line in text.splitlines())
    return (int(counts.get("rchar", 0)) + int(counts.get("wchar", 0)),
            processes.state_of(pid) in ("S", None))


class Agent:
    """`tributary host-agent`; killed, at the latest, when its block ends."""

    def __init__(self, mark):
        self._errors = tempfile.TemporaryFile(mode="w+")
        self._popen = subprocess.Popen(
            [processes.TRIBUTARY, "host-agent"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self._errors, text=True,
            env={**os.environ, **mark.environment})
        self._buffer = ""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._popen.kill()
        self._popen.wait(30)
        for file in (self._popen.stdin, self._popen.stdout, self._errors):
            file.close()

    @property
    def pid(self):
        return self._popen.pid

    def kill(self):
        self._popen.kill()
        self._popen.wait(30)

    def ask(self, kind, **members):
        self.send(json.dumps({"ask": kind, **members}) + "\n")

    def send(self, text):
        self._popen.stdin.write(text)
        self._popen.stdin.flush()

    def start(self, number, command, stage=1, environment=()):
        self.ask("start", id=number, workspace="/", process={
            "name": "x", "stage": stage, "shell": command, "arguments": [],
            "environment": list(environment)})

    def end(self, stage, grace_ms):
        self.ask("end", stage=stage, grace_ms=grace_ms)

    def close_input(self):
        self._popen.stdin.close()

    def report(self, *kinds, deadline=60):
        """The next report of one of these kinds; others are left out."""
        end = time.monotonic() + deadline
        while True:
            while "\n" not in self._buffer:
                left = end - time.monotonic()
                if left <= 0 or not select.select(
                        [self._popen.stdout], [], [], left)[0]:
                    raise processes.Timeout(f"no {kinds}: {self.errors()}")
                piece = os.read(self._popen.stdout.fileno(), 65536).decode()
                if not piece:
                    raise EOFError(self.errors())
                self._buffer += piece
            line, self._buffer = self._buffer.split("\n", 1)
            said = json.loads(line)
            if said["say"] in kinds:
                return said

    def line(self):
        return self.report("line")["text"]

    def errors(self):
        self._errors.seek(0)
        return self._errors.read()

    def wait(self, deadline=60):
        return self._popen.wait(deadline)


def question(**members):
    """A preflight's, of a host of which nothing is wanted but what is given."""
    return {"workspace": "/", "graph": "", "layout_digest": "",
            "partitions": [], "server_file": "", "server_file_digest": "",
            "listen": [], "readable": [], "program": "", "batch_bytes": 0,
            **members}


def preflight(agent, lost_after_ms=60000, grace_ms=1000, **members):
    """What the host lacks."""
    agent.ask("preflight", question=question(**members),
              lost_after_ms=lost_after_ms, grace_ms=grace_ms)
    return agent.report("ready")["problems"]
