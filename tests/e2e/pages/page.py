"""Pages of documentation, and shells that their blocks are pasted into."""

import glob
import os
import re
import signal
import subprocess
import tempfile

from tests.e2e import processes
from tools import page_blocks

TRAINER = "trainer_client/torch/tributary-train"
DEADLINE = 240  # seconds, on a machine that does other things too


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sections(path, marks="##"):
    """The page's text by heading, of headings with these marks or more.

    A section ends at the next such heading.
    """
    pieces = re.split(rf"^{marks}#* (.+)\n", text_of(path), flags=re.M)
    return dict(zip(pieces[1::2], pieces[2::2]))


def commands(text):
    """The lines of the indented blocks."""
    return "".join(line[4:] + "\n" for line in text.split("\n")
                   if line.startswith("    "))


def block(path, begin):
    """The text of the page's only block that begins so."""
    [found] = [found for found in page_blocks.blocks(text_of(path))
               if found.text().startswith(begin)]
    return found.text()


def by_machine(text):
    """The commands before the first line `# On NAME:`, and those of each NAME."""
    pieces = re.split(r"^# On (.+):\n", text, flags=re.M)
    return pieces[0], dict(zip(pieces[1::2], pieces[2::2]))


class Shells:
    """Shells with the programs on their PATH, in a folder of their own.

    Each runs in a session of its own, which is ended with it, so nothing that a
    block starts stays.
    """

    def __init__(self, folder):
        self.folder = folder
        self._bin = os.path.join(folder, "bin")
        os.mkdir(self._bin)
        for program in (processes.TRIBUTARY, TRAINER):
            if os.path.exists(program):
                self.link_program(program)

    def link_program(self, path):
        os.symlink(os.path.abspath(path),
                   os.path.join(self._bin, os.path.basename(path)))

    def add_program(self, name, text):
        path = os.path.join(self._bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def start(self, text):
        return Shell(text, self.folder, {
            **os.environ, "OMP_NUM_THREADS": "1",
            "PATH": self._bin + ":" + os.environ["PATH"]})

    def paste(self, text):
        """Runs it to its end; returns its output."""
        return self.paste_together([text])[0]

    def paste_together(self, texts, deadline=DEADLINE):
        """Runs them at the same time; returns the output of each."""
        shells = [self.start(text) for text in texts]
        try:
            codes = [shell.wait(deadline) for shell in shells]
            outputs = [shell.output() for shell in shells]
        finally:
            for shell in shells:
                shell.end()
        if set(codes) != {0}:
            raise AssertionError(
                f"exit {codes} (None: not within {deadline} s):\n"
                + "\n---\n".join(outputs) + self._logs())
        return outputs

    def _logs(self):
        paths = sorted(glob.glob(self.path("**/*.log"), recursive=True))
        return "".join(f"--- {os.path.basename(path)}\n{text_of(path)}"
                       for path in paths)


class Shell:
    """A shell and what it starts, which end together."""

    def __init__(self, text, folder, environment):
        # Not a pipe: what a shell leaves running would keep its end open.
        self._output = tempfile.TemporaryFile(mode="w+")
        self._bash = subprocess.Popen(
            ["/bin/bash", "-euo", "pipefail", "-c", text], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=self._output,
            stderr=subprocess.STDOUT, start_new_session=True, env=environment)

    def wait(self, deadline):
        """The exit code; None if it is not done by then, or was ended."""
        try:
            return self._bash.wait(deadline)
        except subprocess.TimeoutExpired:
            self.end()
            return None

    def output(self):
        return os.pread(self._output.fileno(), 1 << 24, 0).decode()

    def end(self):
        """Ends it, if it has not ended; its output can still be read."""
        try:
            os.killpg(self._bash.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._bash.wait()


def with_free_ports(text):
    """The commands with other ports than 50051 and its like, and 9091."""
    ports = sorted(set(re.findall(r"\b(?:5005\d|909\d)\b", text)))
    for port, free in zip(ports, processes.held_ports(len(ports))):
        text = re.sub(rf"\b{port}\b", f"port{free}", text)
    return re.sub(r"\bport(\d+)\b", r"\1", text)


def with_free_master_port(text):
    """The commands with a port of their own for the ranks to meet at.

    The default is a fixed one, at which another test may be meeting.
    """
    [port] = processes.held_ports(1)
    return re.sub(r"(--master-addr \S+|tributary launch(?= ))",
                  rf"\1 --master-port {port}", text)
