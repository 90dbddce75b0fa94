"""Programs in Python, in processes of their own."""

import select
import signal
import subprocess
import sys

from tests.e2e import processes

# They begin with this; `graph` is the first argument.
PREAMBLE = """
import gc, os, signal, sys, threading, time
import tributary_gnn as tg
graph = sys.argv[1]
options = dict(num_neighbors=[10, 5], input_nodes="train", batch_size=32, format="numpy")
"""
# Python 3.12 and later warn of fork().
_COMMAND = [sys.executable, "-B", "-X", "faulthandler", "-W", "ignore::DeprecationWarning", "-c"]


def run(script, *arguments, deadline=processes.DEADLINE):
    """Runs it to its end; a CompletedProcess with text stdout and stderr."""
    return subprocess.run([*_COMMAND, PREAMBLE + script, *map(str, arguments)], text=True,
                          capture_output=True, timeout=deadline, stdin=subprocess.DEVNULL)


class Script:
    """A running script, whose lines can be read; it is killed, at the latest, when its block
    ends."""

    def __init__(self, script, *arguments):
        # Unbuffered: select() does not see what a buffer of this process holds.
        self._popen = subprocess.Popen([*_COMMAND, PREAMBLE + script, *map(str, arguments)],
                                       bufsize=0, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._popen.kill()
        self._popen.wait()
        self._popen.stdout.close()

    def line(self):
        return self._popen.stdout.readline().decode().rstrip("\n")

    def read_until_quiet(self):
        """Reads what it prints until nothing has come for a second."""
        while select.select([self._popen.stdout], [], [], 1)[0]:
            self.line()

    def send(self, signal_number):
        self._popen.send_signal(signal_number)

    def wait(self):
        """The exit code, and the lines that were not read. One that does not end says where
        its threads are."""
        try:
            code = self._popen.wait(processes.DEADLINE)
        except subprocess.TimeoutExpired as error:
            self._popen.send_signal(signal.SIGABRT)  # of which faulthandler tells
            raise AssertionError(self._popen.stdout.read().decode()) from error
        return code, self._popen.stdout.read().decode()
