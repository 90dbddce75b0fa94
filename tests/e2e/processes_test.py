"""Tests of what processes.py says of processes that end meanwhile."""

import os
import signal
import socket
import subprocess
import unittest

from tests.e2e import processes


def sleeper():
    return subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)


class EndingOpener:
    """Opens a file of a process in /proc, then ends and reaps the process."""

    def __init__(self, process):
        self._process = process

    def __call__(self, path, *args, **kwargs):
        file = open(path, *args, **kwargs)
        self._process.kill()
        self._process.wait(processes.DEADLINE)
        return file


class HeldPortsTest(unittest.TestCase):
    def test_nobody_is_given_them_and_who_knows_the_number_listens(self):
        held = processes.held_ports(200)
        self.assertEqual(len(set(held)), len(held))
        given = [socket.create_server(("127.0.0.1", 0)) for _ in range(200)]
        try:
            self.assertFalse(
                set(held) & {server.getsockname()[1] for server in given})
            for _ in range(2):
                with socket.create_server(("127.0.0.1", held[0])) as server:
                    with socket.create_connection(server.getsockname()):
                        pass
        finally:
            for server in given:
                server.close()


class GoneTest(unittest.TestCase):
    def setUp(self):
        self.process = sleeper()
        self.addCleanup(self.process.wait, processes.DEADLINE)
        self.addCleanup(self.process.kill)

    def test_a_running_process_is_not_gone(self):
        self.assertFalse(processes.is_gone(self.process.pid))

    def test_a_zombie_is_gone(self):
        self.process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.assertTrue(processes.is_gone(self.process.pid))

    def test_a_reaped_process_is_gone(self):
        self.process.kill()
        self.process.wait(processes.DEADLINE)
        self.assertTrue(processes.is_gone(self.process.pid))

    def test_a_process_that_ends_after_its_file_was_opened_is_gone(self):
        opener = EndingOpener(self.process)
        self.assertTrue(processes.is_gone(self.process.pid, opener))

    def test_read_proc_gives_nothing_of_a_process_that_ends_meanwhile(self):
        opener = EndingOpener(self.process)
        path = f"/proc/{self.process.pid}/status"
        self.assertIsNone(processes.read_proc(path, opener))
        self.assertIsNone(processes.read_proc(path))

    def test_read_proc_raises_other_errors(self):
        def forbidden(*_, **__):
            raise PermissionError

        with self.assertRaises(PermissionError):
            processes.read_proc("/proc/self/stat", forbidden)

    def test_a_signal_reaches_a_process_or_says_that_it_has_ended(self):
        pid = self.process.pid
        self.assertTrue(processes.signal_to(pid, signal.SIGKILL))
        self.process.wait(processes.DEADLINE)
        self.assertFalse(processes.signal_to(pid, signal.SIGCONT))


if __name__ == "__main__":
    unittest.main()
