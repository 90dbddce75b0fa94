"""Runs `tributary` and its servers; every wait ends, nothing stays behind."""

import fcntl
import glob
import os
import select
import signal
import socket
import subprocess
import tempfile
import time

TRIBUTARY = "cli/tributary"
DEADLINE = 60.0  # seconds, for what takes well under one
READY_DEADLINE = 300.0  # for a server that opens a graph of many files


class Timeout(AssertionError):
    pass


_held = []  # until this process ends


def held_ports(count):
    """TCP ports of 127.0.0.1 that only who is told their numbers gets.

    Each is bound here and does not listen: the system gives it to nobody who
    asks for any free port, and a program that asks for it with SO_REUSEADDR, as
    servers do, listens there.
    """
    ports = []
    for _ in range(count):
        held = socket.socket()
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        _held.append(held)
        ports.append(held.getsockname()[1])
    return ports


def run(*args, deadline=DEADLINE):
    """Runs to the end; a CompletedProcess with text stdout and stderr."""
    return subprocess.run([TRIBUTARY, *map(str, args)], text=True,
                          capture_output=True, timeout=deadline,
                          stdin=subprocess.DEVNULL)


def run_ok(*args, deadline=DEADLINE):
    done = run(*args, deadline=deadline)
    if done.returncode != 0:
        raise AssertionError(
            f"tributary {' '.join(map(str, args))}: exit {done.returncode}\n"
            f"{done.stderr}")
    return done.stdout


def temporary_folder():
    return tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))


class Process:
    """A running `tributary`; killed, at the latest, when its block ends.

    With small_pipe its stdout holds a page: it cannot run far ahead of who
    reads its lines. `environment` comes beside this process's own; `preexec`
    runs in the child.
    """

    def __init__(self, *args, small_pipe=False, program=TRIBUTARY,
                 environment=None, preexec=None):
        self._stderr = tempfile.TemporaryFile(mode="w+")
        self._popen = subprocess.Popen(
            [program, *map(str, args)], stdout=subprocess.PIPE,
            stderr=self._stderr, stdin=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})}, preexec_fn=preexec)
        if small_pipe:
            fcntl.fcntl(self._popen.stdout, fcntl.F_SETPIPE_SZ, 4096)
        self._buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self._popen.poll() is None:
            self._popen.kill()
            self._popen.wait(DEADLINE)
        self._popen.stdout.close()
        self._stderr.close()

    def read_line(self, deadline=DEADLINE):
        """The next line of stdout; None at its end."""
        end = time.monotonic() + deadline
        while b"\n" not in self._buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select(
                    [self._popen.stdout], [], [], left)[0]:
                raise Timeout(f"no line in {deadline} s: {self.stderr()}")
            piece = os.read(self._popen.stdout.fileno(), 65536)
            if not piece:
                return None
            self._buffer += piece
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode()

    def read_lines(self):
        lines = []
        while (line := self.read_line()) is not None:
            lines.append(line)
        return lines

    def stderr(self):
        # Without moving the offset, at which the process writes meanwhile.
        file = self._stderr.fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode()

    @property
    def pid(self):
        return self._popen.pid

    def running(self):
        return self._popen.poll() is None

    def send(self, signal_number):
        self._popen.send_signal(signal_number)

    def kill(self):
        self.send(signal.SIGKILL)
        self.wait()

    def wait(self, deadline=DEADLINE):
        return self._popen.wait(deadline)


def read_proc(path, opener=open):
    """The text of a file of a process in /proc; None once it has ended.

    A process may end between the opening of its file and the reading, which
    the kernel answers with another error than the opening (ESRCH, not ENOENT).
    """
    try:
        with opener(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None


def children_of(process):
    """Their process ids, whichever of its threads started them."""
    pids = []
    for path in glob.glob(f"/proc/{process.pid}/task/*/children"):
        pids += map(int, (read_proc(path) or "").split())
    return pids


def state_of(pid, opener=open):
    """The letter of its state, as ps shows it; None if there is no process."""
    stat = read_proc(f"/proc/{pid}/stat", opener)
    return None if stat is None else stat.rsplit(")", 1)[1].split()[0]


def is_gone(pid, opener=open):
    """Ended: at most a zombie, which its new parent has yet to reap."""
    return state_of(pid, opener) in (None, "Z", "X")


def signal_to(pid, number):
    """Whether the signal reached a process: False if it has been reaped."""
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def until(condition, deadline=30):
    end = time.monotonic() + deadline
    while not condition():
        if time.monotonic() > end:
            raise Timeout("the condition does not come true")
        time.sleep(0.02)


class Server(Process):
    """`graph`: a folder, file:PATH, or a list of folders."""

    def __init__(self, graph, *args, listen="127.0.0.1:0", environment=None):
        folders = graph if isinstance(graph, list) else [graph]
        super().__init__(
            "serve", *(word for folder in folders for word in
                       ("--graph", folder)),
            "--listen", listen, *args, environment=environment)
        self.address = None
        self.http = None
        self.health = None

    def __enter__(self):
        super().__enter__()
        try:
            self._read_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _read_ready(self):
        line = self.read_line(READY_DEADLINE)
        words = (line or "").split()
        if not words or words[0] != "ready":
            raise AssertionError(f"not ready: {line!r}\n{self.stderr()}")
        said = dict(word.split("=", 1) for word in words[1:])
        self.address = said["listen"]
        self.http = said.get("http")
        self.health = said.get("health")
        self.partitions = said.get("partitions")
        self.graphs = said.get("graphs")  # of a server of several


class Fleet:
    """Servers that hold the given partitions each and find their peers.

    `folders`: each server's own, in place of `graph`.
    """

    def __init__(self, graph, partitions, *args, environment=None,
                 folders=None):
        self._folders = folders or [graph] * len(partitions)
        self._partitions = partitions
        self._args = args
        self._environment = environment
        self.servers = []

    def __enter__(self):
        self._folder = temporary_folder()
        self.peers = os.path.join(self._folder.name, "peers")
        open(self.peers, "w").close()
        try:
            for which in range(len(self._partitions)):
                self.servers.append(self._start(which, "127.0.0.1:0"))
            self._write_peers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self, which, listen):
        return Server(self._folders[which], "--partitions",
                      self._partitions[which], "--peers",
                      f"file:{self.peers}", *self._args, listen=listen,
                      environment=self._environment).__enter__()

    def restart(self, which):
        """Starts the server again where it was; it must have ended."""
        ended = self.servers[which]
        ended.__exit__()
        self.servers[which] = self._start(which, ended.address)

    def _write_peers(self):
        with open(self.peers + ".new", "w") as f:
            f.writelines(s.address + "\n" for s in self.servers)
        os.rename(self.peers + ".new", self.peers)

    def __exit__(self, *unused):
        for server in self.servers:
            server.__exit__()
        self._folder.cleanup()

    def addresses(self):
        return ",".join(s.address for s in self.servers)

    def doctor(self, deadline=DEADLINE, flags=()):
        """What `doctor`, with these flags, prints once it finds all well.

        A server is ready before it has found its peers.
        """
        end = time.monotonic() + deadline
        while True:
            done = run("doctor", "--servers", self.addresses(), *flags)
            if done.returncode == 0:
                return done.stdout
            if time.monotonic() > end:
                raise Timeout(f"not well in {deadline} s: {done.stdout}")
