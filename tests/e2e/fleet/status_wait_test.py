"""`status --wait`: what a trainer's init step runs before the trainer."""

import os
import re
import signal
import unittest

from tests.e2e import folders, processes

WAITING = r"tributary status: waiting \d+ s more, until \d\d:\d\d:\d\d: "


class StatusWaitTest(unittest.TestCase):
    def setUp(self):
        self._folder = processes.temporary_folder()
        self.addCleanup(self._folder.cleanup)
        self.list = os.path.join(self._folder.name, "servers")
        self.write_list()

    def graph(self, parts):
        return folders.partition(folders.CORA,
                                 os.path.join(self._folder.name, "g"), parts)

    def write_list(self, *servers):
        with open(self.list + ".new", "w", encoding="ascii") as file:
            file.writelines(server.address + "\n" for server in servers)
        os.rename(self.list + ".new", self.list)

    def wait(self, *args):
        return processes.Process("status", "--servers", f"file:{self.list}",
                                 "--wait", *args)

    def assert_says(self, waiting, reason):
        processes.until(lambda: ": waiting " in waiting.stderr())
        self.assertRegex(waiting.stderr(), f"^{WAITING}{re.escape(reason)}")

    def test_waits_until_each_partition_has_an_owner(self):
        graph = self.graph(2)
        with self.wait("1m") as waiting:
            self.assert_says(waiting, "NOT_FOUND: --servers: the list is empty")
            with processes.Server(graph, "--partitions", "0") as zero, \
                    processes.Server(graph, "--partitions", "1") as one:
                self.write_list(zero)
                self.assertTrue(waiting.running())
                self.write_list(zero, one)
                lines = waiting.read_lines()
                self.assertEqual(waiting.wait(), 0, waiting.stderr())
            self.assertEqual(
                sorted(re.search("partitions=(.)/2", line).group(1)
                       for line in lines), ["0", "1"])

    def test_says_what_is_missing_when_time_is_over(self):
        graph = self.graph(3)
        with processes.Server(graph, "--partitions", "0,2") as server:
            self.write_list(server)
            done = processes.run("status", "--servers", f"file:{self.list}",
                                 "--wait", "1.5s")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertRegex(
            done.stderr.splitlines()[-1],
            r"^tributary status: DEADLINE_EXCEEDED: --wait 1.5s is over: no "
            r"server owns partition 1 of 3 of graph cora@\w+: "
            f"{re.escape(server.address)} " r"\(partitions 0,2\)$")

    def test_servers_that_are_not_needed_may_be_silent(self):
        with processes.Server(self.graph(1)) as server:
            done = processes.run("status", "--servers",
                                 f"{server.address},127.0.0.1:1",
                                 "--wait", "20")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(" ready graph=cora@", done.stdout)
        self.assertIn("127.0.0.1:1 UNAVAILABLE", done.stdout)

    def test_another_graph_is_not_the_one_waited_for(self):
        with processes.Server(self.graph(1)) as server:
            done = processes.run("status", "--servers", server.address,
                                 "--graph-name", "other", "--wait", "5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("graph 'other'; this server has cora@", done.stderr)

    def test_a_name_that_does_not_exist_yet_is_waited_for(self):
        done = processes.run("status", "--servers",
                             "dns:///no.such.invalid:50051", "--wait", "3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--wait 3 is over: name not found", done.stderr)

    def test_what_is_no_list_is_not_waited_for(self):
        done = processes.run("status", "--servers", "nonsense", "--wait", "1h")
        self.assertEqual(done.returncode, 2)

    def test_control_c_ends_it(self):
        with self.wait("1h") as waiting:
            self.assert_says(waiting, "NOT_FOUND")
            waiting.send(signal.SIGINT)
            self.assertEqual(waiting.wait(), 130)


if __name__ == "__main__":
    unittest.main()
