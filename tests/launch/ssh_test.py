"""`tributary launch` and `copy-files` over sshd of four hosts: each failure ends
within half a minute, is named, and leaves nothing behind."""

import os
import shutil
import signal
import socket
import unittest

from tests.e2e import folders, processes
from tests.launch import hosts

# Seconds. The command promises half a minute for each failure, which
# cli/launch/launch_job_test.cc holds in virtual time; here others use the machine.
DEADLINE = 300
# ssh takes seconds where it would take a tenth of one.
PATIENCE = ("--connect-timeout", 120)
# Longer: to a host whose link has just gone ssh may wait so long, and not learn at once that
# there is no way to it.
END = 240
WAIT = "echo started; exec sleep 1000"


class SshTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        hosts.require()
        cls.cluster = hosts.Cluster(4, [processes.TRIBUTARY])
        cls.addClassCleanup(cls.cluster.close)
        cls.here = cls.cluster.workspace
        processes.run_ok("partition", "--input", folders.CORA, "--format",
                         "ogb", "--out", cls.path("cora"), "--num-parts", "4")
        hosts.write(cls.path("ip_config.txt"), cls.cluster.addresses())
        os.mkdir(cls.path("code"))
        hosts.write(cls.path("code", "rank.sh"), "echo rank $RANK of $WORLD_SIZE\n")
        cls.copied = processes.run(*cls.copy_files(), deadline=DEADLINE)

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.here, *names)

    @classmethod
    def copy_files(cls, *flags):
        return ("copy-files", "--workspace", cls.here, "--rel_data_path", "cora",
                "--part_config", cls.path("cora"), "--script_folder",
                cls.path("code"), "--ip_config", cls.path("ip_config.txt"),
                "--ssh-option", "ConnectTimeout=120", *flags)

    def start(self, command, *flags):
        return self.enterContext(processes.Process(
            "launch", "--workspace", self.here, "--part_config", "cora",
            "--ip_config", "ip_config.txt", "--insecure", *PATIENCE, *flags,
            command))

    def launch(self, command, *flags, deadline=DEADLINE):
        """Its exit code, lines and errors, once nothing is left."""
        process = self.start(command, *flags)
        lines = []
        while (line := process.read_line(deadline)) is not None:
            lines.append(line)
        code = process.wait()
        processes.until(lambda: not hosts.left(), END)
        return code, lines, process.stderr()

    def started(self, command=WAIT, *flags):
        """A launch whose trainers all run."""
        process = self.start(command, *flags)
        seen = set()
        while len(seen) < len(self.cluster.hosts):
            line = process.read_line(DEADLINE)
            self.assertIsNotNone(line, process.stderr())
            if line.endswith(": started"):
                seen.add(line)
        return process

    def assert_ends(self, process, code, *parts):
        self.assertEqual(process.wait(END), code, process.stderr())
        for part in parts:
            self.assertIn(part, process.stderr())
        processes.until(lambda: not hosts.left(), END)

    def problems(self, *flags):
        """What a launch says that starts nothing, after its first line."""
        code, lines, errors = self.launch("true", *flags)
        self.assertEqual((code, lines), (69, []), errors)
        return errors

    def test_files_are_where_they_are_used(self):
        self.assertEqual(self.copied.returncode, 0, self.copied.stderr)
        self.assertEqual(self.copied.stdout.count("sent "), 4)
        for number, host in enumerate(self.cluster.hosts):
            self.assertEqual(
                sorted(name for name in os.listdir(host.workspace + "/cora")
                       if name.startswith("part-")), [f"part-{number}"])
            self.assertLessEqual({"code", "cora", "ip_config.txt"},
                                 set(os.listdir(host.workspace)))

    def test_a_second_copy_sends_only_what_differs(self):
        first = self.cluster.hosts[0]
        os.remove(first.workspace + "/code/rank.sh")
        with open(first.workspace + "/cora/part-0/nodes/node/x.npy", "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\x7f")
        done = processes.run(*self.copy_files(), deadline=DEADLINE)
        self.assertTrue(os.path.exists(first.workspace + "/code/rank.sh"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("complete already: "), 3)
        self.assertIn(f"sent {first.address} partitions=0 ", done.stdout)

    def test_scp_does_as_well(self):
        last = self.cluster.hosts[3]
        graph, away = last.workspace + "/cora", last.workspace + "/away"
        os.rename(graph, away)
        self.addCleanup(os.rename, away, graph)
        self.addCleanup(shutil.rmtree, graph, ignore_errors=True)
        done = processes.run(*self.copy_files("--copy-with", "scp"),
                             deadline=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"sent {last.address} partitions=3 ", done.stdout)

    def test_a_full_disk_is_named(self):
        host = self.cluster.hosts[2]
        os.mkdir(host.workspace + "/small")
        inside = ("nsenter", "--mount", f"--target={host.sshd.pid}")
        hosts.run(*inside, "mount", "-t", "tmpfs", "-o", "size=64k", "none",
                  self.path("small"))
        self.addCleanup(hosts.run, *inside, "umount", self.path("small"))
        done = processes.run(
            "copy-files", "--workspace", self.path("small"), "--rel_data_path",
            "cora", "--part_config", self.path("cora"), "--ip_config",
            self.path("ip_config.txt"), "--ssh-option", "ConnectTimeout=120",
            deadline=DEADLINE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, f"{host.address}: copy ended with exit code .*"
                         "No space left on device")
        self.assertIn(f"1 of 4 hosts: {host.address}; ", done.stderr)

    def test_ranks_run_on_all_hosts(self):
        code, lines, errors = self.launch("sh code/rank.sh")
        self.assertEqual(code, 0, errors)
        for rank, host in enumerate(self.cluster.hosts):
            self.assertIn(
                f"{host.address} trainer {rank}: rank {rank} of 4", lines)
            self.assertIn(f"{host.address} server {rank}: ready "
                          f"listen={host.address}:30050 partitions={rank}", lines)

    def test_a_host_that_is_down(self):
        host = self.cluster.hosts[1]
        host.link("down")
        self.addCleanup(lambda: processes.until(host.answers, END))
        self.addCleanup(host.link, "up")
        process = self.start("true")
        self.assert_ends(process, 69, f"{host.address}: cannot be reached by ssh",
                         "1 of 4 hosts")
        self.assertRegex(process.stderr(), "No route to host|timed out")

    def test_a_wrong_key(self):
        host = self.cluster.hosts[2]
        shutil.copy(host.authorized, host.authorized + ".right")
        shutil.copy(self.cluster.path("other-key.pub"), host.authorized)
        self.addCleanup(os.rename, host.authorized + ".right", host.authorized)
        self.assertRegex(
            self.problems(),
            f"{host.address}: cannot be reached by ssh: .*Permission denied")

    def test_another_version_and_none(self):
        older, none = self.cluster.hosts[0], self.cluster.hosts[3]
        for host in (older, none):
            self.addCleanup(host.has, processes.TRIBUTARY)
            self.addCleanup(os.remove, os.path.join(host.bin, "tributary"))
        older.has_instead("tributary", "#!/bin/sh\necho "
                          """'{"say":"hello","version":"0.0.9"}'; cat\n""")
        none.has_instead("tributary", "#!/bin/sh\necho no such command >&2\n"
                         "exit 2\n")
        errors = self.problems()
        self.assertIn(f"{older.address}: has tributary 0.0.9, not ", errors)
        self.assertIn(f"{none.address}: has no tributary that knows host-agent; "
                      "its program ended with exit code 2: no such command",
                      errors)
        errors = self.problems("--remote-program", "tributary-3")
        self.assertEqual(errors.count("lacks the program tributary"), 4, errors)

    def test_a_host_without_its_partition(self):
        host = self.cluster.hosts[1]
        part = host.workspace + "/cora/part-1"
        os.rename(part, part + ".away")
        self.addCleanup(os.rename, part + ".away", part)
        self.assertRegex(self.problems(), f"{host.address}: lacks .* files of "
                         "partitions 1 .*`tributary copy-files` sends them")

    def test_a_taken_port_and_another_list(self):
        host = self.cluster.hosts[0]
        ip_config = host.workspace + "/ip_config.txt"
        hosts.write(ip_config, "10.78.0.9\n")
        self.addCleanup(hosts.write, ip_config, self.cluster.addresses())
        taken = self.enterContext(processes.Process(
            "netns", "exec", host.name, "/usr/bin/python3", "-c",
            "import socket, time; s = socket.create_server(('', 30050)); "
            "print('taken', flush=True); time.sleep(900)", program="ip"))
        self.assertEqual(taken.read_line(), "taken")
        errors = self.problems()
        self.assertIn(f"{host.address}: the port is taken: {host.address}:30050",
                      errors)
        self.assertIn("ip_config.txt differs from that of", errors)

    def test_a_trainer_that_dies(self):
        code, _, errors = self.launch(
            "[ $RANK = 2 ] || exec sleep 1000; echo why >&2; kill -9 $$")
        self.assertEqual(code, 137)
        self.assertIn(f"{self.cluster.hosts[2].address}: trainer 2 was ended by "
                      "signal 9 (SIGKILL)", errors)
        self.assertIn("why", errors)

    def test_a_server_that_is_killed(self):
        process = self.started()
        address = self.cluster.hosts[3].address
        [pid] = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                 if f"--listen\0{address}:30050\0" in
                 (processes.read_proc(f"/proc/{pid}/cmdline") or "")]
        os.kill(pid, signal.SIGKILL)
        self.assert_ends(process, 70, f"{address}: server 3 was ended by signal 9")

    def test_ctrl_c(self):
        process = self.started()
        process.send(signal.SIGINT)
        self.assert_ends(process, 130, "SIGINT")

    def test_the_launcher_is_killed(self):
        process = self.started()
        process.kill()
        processes.until(lambda: not hosts.left(), END)

    def test_a_network_that_is_lost(self):
        process = self.started()
        host = self.cluster.hosts[1]
        host.link("down")
        self.addCleanup(lambda: processes.until(host.answers, END))
        self.addCleanup(host.link, "up")
        self.assert_ends(process, 68, f"{host.address} is lost")


if __name__ == "__main__":
    unittest.main()
