"""`tributary launch` of processes on this machine."""

import os
import random
import signal
import unittest

from tests.e2e import folders, processes
from tests.e2e.tls import certificates
from tests.launch import agents

DEADLINE = 120  # seconds, for a machine that does other things too
WAIT = "echo started; exec sleep 1000"


class LocalTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        processes.run_ok("partition", "--input", folders.CORA, "--format",
                         "ogb", "--out", self.path("cora"), "--num-parts", "4")
        # A network that no other test uses.
        network = "127.%d.%d" % tuple(random.randbytes(2))
        self.hosts = [f"{network}.{i}" for i in (1, 2)]
        with open(self.path("ip.txt"), "w", encoding="utf-8") as file:
            file.writelines(f"{host} 30050\n" for host in self.hosts)
        self.mark = agents.Mark()

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, command, *flags):
        return self.enterContext(processes.Process(
            "launch", "--workspace", self.folder, "--part_config",
            "cora/graph.json", "--ip_config", "ip.txt", "--master-port",
            29500 + random.randrange(1000), *flags, command,
            environment=self.mark.environment))

    def launch(self, command, *flags):
        """Its exit code, its lines and its errors, once nothing is left."""
        process = self.start(command, *flags)
        lines = []
        while (line := process.read_line(DEADLINE)) is not None:
            lines.append(line)
        code = process.wait()
        self.assertEqual(self.mark.pids(), [])
        return code, lines, process.stderr()

    def started(self, command=WAIT, *flags):
        """A launch whose trainers all run."""
        process = self.start(command, *flags)
        seen = set()
        while len(seen) < len(self.hosts):
            line = process.read_line(DEADLINE)
            self.assertIsNotNone(line, process.stderr())
            if line.endswith(": started"):
                seen.add(line)
        return process

    def servers(self):
        """Their process ids, by the address that they listen at."""
        found = {}
        for pid in self.mark.pids():
            words = (processes.read_proc(f"/proc/{pid}/cmdline") or "").split("\0")
            if "serve" in words:
                found[words[words.index("--listen") + 1]] = pid
        return found

    def test_ranks_have_their_places(self):
        code, lines, errors = self.launch(
            'echo "$RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $MASTER_ADDR'
            ' $X"; pwd', "--num_trainers", 2, "--extra_envs", "X=a b")
        self.assertEqual(code, 0, errors)
        first = self.hosts[0]
        self.assertEqual(
            {line for line in lines if "trainer" in line},
            {f"{host} trainer {rank}: {text}"
             for i, host in enumerate(self.hosts) for local in range(2)
             for rank in [2 * i + local]
             for text in (f"{rank} {local} 4 2 {first} a b", self.folder)})
        # Servers say that they serve, under their names.
        for i, host in enumerate(self.hosts):
            self.assertIn(f"{host} server {i}: ready listen={host}:30050 "
                          f"partitions={i},{i + 2}", lines)

    def test_trainers_read_the_fleets_batches(self):
        program = os.path.abspath(processes.TRIBUTARY)
        code, lines, errors = self.launch(
            f"'{program}' sample --servers $TRIBUTARY_SERVERS --input-nodes "
            "train --num-neighbors 10,5 --batch-size 32 --random-seed 11 "
            "--batches 0:1", "--num-servers", 2)
        self.assertEqual(code, 0, errors)
        [expected] = processes.run_ok(
            "sample", "--graph", self.path("cora"), "--input-nodes", "train",
            "--num-neighbors", "10,5", "--batch-size", 32, "--random-seed", 11,
            "--batches", "0:1").splitlines()
        for i, host in enumerate(self.hosts):
            self.assertIn(f"{host} trainer {i}: {expected}", lines)

    def test_servers_and_trainers_have_certificates(self):
        certificates.make(self.path("certs"), "job")
        program = os.path.abspath(processes.TRIBUTARY)
        ca, cert, key = certificates.flags("certs", "sampler")[1::2]
        code, lines, errors = self.launch(
            f"'{program}' status --servers $TRIBUTARY_SERVERS",
            "--tls-ca", ca, "--tls-cert", cert, "--tls-key", key,
            "--trainer-tls-ca", ca, "--trainer-tls-cert", "certs/trainer-job.pem",
            "--trainer-tls-key", "certs/trainer-job.key")
        self.assertEqual(code, 0, errors)
        for host in self.hosts:
            self.assertEqual(len([line for line in lines if " trainer " in line
                                  and f": {host}:30050 " in line]), 2, lines)
        os.remove(self.path("certs/trainer-job.key"))
        code, _, errors = self.launch(
            "true", "--tls-ca", ca, "--tls-cert", cert, "--tls-key", key,
            "--trainer-tls-ca", ca, "--trainer-tls-cert", "certs/trainer-job.pem",
            "--trainer-tls-key", "certs/trainer-job.key")
        self.assertEqual(code, 69)
        self.assertIn(f"{self.hosts[0]}: cannot read {self.path('certs/trainer-job.key')}",
                      errors)

    def test_torchrun_reads_its_place(self):
        """A stand-in of that name, which prints what torchrun would read."""
        os.mkdir(self.path("bin"))
        with open(self.path("bin/torchrun"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho $PET_NODE_RANK of $PET_NNODES, "
                       "$PET_NPROC_PER_NODE ranks, rank: $RANK\n")
        os.chmod(self.path("bin/torchrun"), 0o755)
        code, lines, errors = self.launch("bin/torchrun t.py",
                                          "--num_trainers", 3)
        self.assertEqual(code, 0, errors)
        for i, host in enumerate(self.hosts):
            self.assertIn(f"{host} trainer {i}: {i} of 2, 3 ranks, rank:", lines)

    def test_a_dry_run_prints_what_it_would_start(self):
        code, lines, _ = self.launch("python3 t.py", "--dry-run")
        self.assertEqual(code, 0)
        self.assertEqual(len(lines), 4)
        self.assertTrue(lines[0].startswith(
            f"{self.hosts[0]} server 0: cd {self.folder} && tributary serve "
            "--graph cora --partitions 0%2 --listen "), lines[0])
        self.assertIn(" RANK=1 LOCAL_RANK=0 WORLD_SIZE=2 ", lines[3])
        self.assertTrue(lines[3].endswith(" sh -c 'python3 t.py'"), lines[3])

    def test_the_first_failure_is_the_end(self):
        code, _, errors = self.launch(
            "[ $RANK = 0 ] && exec sleep 1000; echo why >&2; exit 7")
        self.assertEqual(code, 7)
        self.assertIn(f"{self.hosts[1]}: trainer 1 ended with exit code 7",
                      errors)
        self.assertIn("command: [ $RANK = 0 ] && exec sleep", errors)
        self.assertIn("tributary launch: why\n", errors)

    def test_a_server_that_is_killed_is_the_end(self):
        process = self.started()
        os.kill(self.servers()[f"{self.hosts[1]}:30050"], signal.SIGKILL)
        self.assertEqual(process.wait(30), 70)
        self.assertIn("server 1 was ended by signal 9 (SIGKILL)",
                      process.stderr())
        self.assertEqual(self.mark.pids(), [])

    def test_ctrl_c_ends_everything(self):
        process = self.started()
        process.send(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)
        self.assertEqual(self.mark.pids(), [])

    def test_what_ignores_its_end_is_killed(self):
        process = self.started(
            "trap '' TERM INT; echo started; while :; do sleep 1; done",
            "--grace", 2)
        process.send(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)
        self.assertEqual(self.mark.pids(), [])

    def test_a_killed_launcher_leaves_nothing(self):
        process = self.started()
        process.kill()
        processes.until(lambda: not self.mark.pids(), 30)

    def test_output_that_is_not_read_loses_no_host(self):
        process = self.start("echo started; seq -f %0200g 30000; echo end",
                             "--lost-after", 3)
        process.read_line(DEADLINE)
        # All pipes are full: the trainers do not get on, and are not lost.
        writers = agents.Stillness(lambda: [
            pid for pid in self.mark.pids() if (processes.read_proc(
                f"/proc/{pid}/comm") or "").strip() == "seq"])
        processes.until(lambda: writers.seconds() > 5, DEADLINE)
        self.assertTrue(process.running(), process.stderr())
        ends = 0
        while (line := process.read_line(DEADLINE)) is not None:
            ends += line.endswith(": end")
        self.assertEqual(process.wait(), 0, process.stderr())
        self.assertEqual(ends, 2)

    def test_a_preflight_that_finds_something_starts_nothing(self):
        code, lines, errors = self.launch("no-such-program --x")
        self.assertEqual(code, 69)
        self.assertEqual(lines, [])
        for host in self.hosts:
            self.assertIn(f"{host}: has no program no-such-program", errors)
        self.assertIn("nothing was started: 2 of 2 hosts", errors)

    def refusal(self, **flags):
        """Of a launch with other flags than the ordinary ones."""
        given = {"workspace": self.folder, "part_config": "cora",
                 "ip_config": "ip.txt", **flags}
        done = processes.run("launch", "true", *(
            word for name, value in given.items()
            for word in (f"--{name}", value)))
        self.assertIn(done.returncode, (1, 2), done.stderr)
        return done.stderr

    def test_wrong_flags_are_named(self):
        for flags, part in (
                ({"num_trainers": 0}, '--num-trainers "0"'),
                ({"extra_envs": "1=2"}, '--extra-envs "1=2"'),
                ({"ssh_username": "a;b"}, '"a;b"'),
                ({"lost-after": 1}, "--lost-after 1"),
                ({"tls-ca": "a"}, "--tls-"),
                ({"part_config": "x.json"}, "x/graph.json"),
                ({"ip_config": "no.txt"}, "no.txt")):
            self.assertIn(part, self.refusal(**flags))
        with open(self.path("ip.txt"), "w", encoding="utf-8") as file:
            file.write("10.0.0.1\n")
        self.assertIn("--insecure", self.refusal())


if __name__ == "__main__":
    unittest.main()
