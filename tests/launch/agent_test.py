"""`tributary host-agent`: what it starts, reports and ends."""

import hashlib
import json
import os
import shutil
import socket
import unittest

from tests.e2e import folders, processes
from tests.launch import agents

# Ignores SIGTERM, and says when it does.
STUBBORN = "trap '' TERM; echo ready; while :; do sleep 1; done"


class AgentTest(unittest.TestCase):
    def setUp(self):
        self.mark = agents.Mark()
        self.agent = self.enterContext(agents.Agent(self.mark))
        self.agent.report("hello")

    def assert_all_gone(self, deadline=30):
        processes.until(lambda: not self.mark.pids(), deadline)

    def test_lines_and_ends_are_reported(self):
        self.agent.start(3, "echo out; echo err >&2; pwd; exit 5",
                         environment=["A=b c"])
        lines = [self.agent.report("line") for _ in range(3)]
        self.assertEqual(
            {(line["text"], line["stderr"]) for line in lines},
            {("out", False), ("err", True), ("/", False)})
        self.assertEqual(self.agent.report("ended"),
                         {"say": "ended", "id": 3, "wait_status": 5 << 8})
        self.agent.start(4, "printf %s \"$A$RANK\"; kill -9 $$",
                         environment=["A=1", "RANK=7", "A=2"])
        self.assertEqual(self.agent.line(), "27")
        self.assertEqual(self.agent.report("ended")["wait_status"], 9)

    def test_a_workspace_that_is_lost_is_an_end(self):
        self.agent.ask("start", id=0, workspace="/no/such", process={
            "name": "x", "stage": 1, "shell": "true", "arguments": [],
            "environment": []})
        self.assertEqual(self.agent.line(), "cannot enter the workspace")
        self.assertEqual(self.agent.report("ended")["wait_status"], 127 << 8)

    def test_long_lines_come_in_pieces(self):
        self.agent.start(0, "head -c 10000 /dev/zero | tr '\\0' x")
        self.assertEqual([len(self.agent.line()) for _ in range(3)],
                         [4096, 4096, 10000 - 2 * 4096])

    def test_what_a_process_leaves_behind_ends_with_it(self):
        self.agent.start(0, "sleep 1000 & echo $!")
        left = int(self.agent.line())
        self.agent.report("ended")
        processes.until(lambda: processes.is_gone(left))

    def test_the_end_of_its_input_ends_all(self):
        self.agent.ask("preflight", question=agents.question(),
                       lost_after_ms=60000, grace_ms=500)
        self.agent.start(0, STUBBORN)
        self.assertEqual(self.agent.line(), "ready")
        # One that has left its group, and lost its parent.
        self.agent.start(1, "setsid sleep 1000 & sleep 1000")
        processes.until(lambda: len(self.mark.pids()) >= 5)
        self.agent.close_input()
        self.agent.wait()
        self.assertEqual(self.mark.pids(), [])

    def test_silence_of_the_launcher_ends_all(self):
        self.agent.start(0, "exec sleep 1000")
        processes.until(lambda: len(self.mark.pids()) == 2)
        agents.preflight(self.agent, lost_after_ms=500)
        self.agent.wait()
        self.assertEqual(self.mark.pids(), [])

    def test_beats_keep_it(self):
        agents.preflight(self.agent, lost_after_ms=5000)
        self.agent.start(0, "sleep 8; echo done")
        while self.agent.report("beat", "line")["say"] == "beat":
            self.agent.ask("beat")
        self.assertEqual(self.agent.report("ended")["wait_status"], 0)

    def test_a_killed_agent_leaves_nothing(self):
        self.agent.start(0, "exec sleep 1000")
        processes.until(lambda: len(self.mark.pids()) == 2)
        self.agent.kill()
        self.assert_all_gone()

    def test_a_signal_ends_all(self):
        self.agent.start(0, "exec sleep 1000")
        processes.until(lambda: len(self.mark.pids()) == 2)
        os.kill(self.agent.pid, 15)
        self.assertEqual(self.agent.wait(), 0)
        self.assertEqual(self.mark.pids(), [])

    def test_stages_end_the_highest_first(self):
        graceful = "trap 'echo %s; exit 0' TERM; echo ready; while :; do sleep 0.1; done"
        self.agent.start(0, graceful % "server", stage=0)
        self.agent.start(1, graceful % "trainer", stage=1)
        self.assertEqual([self.agent.line() for _ in range(2)], ["ready"] * 2)
        self.agent.end(0, 20000)
        said = []
        while [one["say"] for one in said].count("ended") < 2:
            said.append(self.agent.report("line", "ended"))
        # Beside what a shell says of the children that were ended with it.
        self.assertEqual([(one["say"], one["id"]) for one in said
                          if not one.get("stderr")],
                         [("line", 1), ("ended", 1), ("line", 0), ("ended", 0)])
        self.assertEqual(self.agent.wait(), 0)

    def test_a_stage_ends_and_the_agent_stays(self):
        self.agent.start(0, "sleep 1000", stage=0)
        self.agent.start(1, STUBBORN, stage=1)
        self.assertEqual(self.agent.line(), "ready")
        self.agent.end(1, 200)
        self.assertEqual(self.agent.report("ended"),
                         {"say": "ended", "id": 1, "wait_status": 9})
        self.agent.report("beat")
        self.agent.end(0, 200)
        self.assertEqual(self.agent.report("ended")["id"], 0)
        self.assertEqual(self.agent.wait(), 0)

    def test_what_is_no_request_ends_all(self):
        self.agent.start(0, "exec sleep 1000")
        self.agent.send('{"ask":"dance"}\n')
        self.assertEqual(self.agent.wait(), 1)
        self.assertIn("request: ask", self.agent.errors())
        self.assertEqual(self.mark.pids(), [])

    def test_lines_that_nobody_reads_hold_their_process_up(self):
        agents.preflight(self.agent, grace_ms=500)
        self.agent.start(0, "yes")
        self.agent.report("line")
        reader = agents.Stillness(lambda: [self.agent.pid])
        # It reads no more, once its memory and the pipe to here are full.
        processes.until(lambda: reader.seconds() > 3, 90)
        memory = processes.read_proc(f"/proc/{self.agent.pid}/status")
        [held] = [int(line.split()[1]) for line in memory.splitlines()
                  if line.startswith("VmRSS")]
        self.assertLess(held, 200 << 10)  # KiB
        self.agent.close_input()
        self.agent.wait()
        self.assertEqual(self.mark.pids(), [])


class PreflightTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = os.path.join(cls.folder, "g")
        processes.run_ok("partition", "--input", folders.CORA, "--format",
                         "ogb", "--out", cls.graph, "--num-parts", "2")
        with open(cls.graph + "/graph.json", encoding="utf-8") as file:
            cls.digest = json.load(file)["layout_digest"]
        with open(os.path.join(cls.folder, "ip.txt"), "w") as file:
            file.write("127.0.0.1\n")

    def setUp(self):
        self.agent = self.enterContext(agents.Agent(agents.Mark()))
        self.agent.report("hello")

    def problems(self, **members):
        return agents.preflight(self.agent, **{
            "workspace": self.folder, "graph": "g",
            "layout_digest": self.digest, **members})

    def test_nothing_is_wrong(self):
        digest = hashlib.sha256(b"127.0.0.1\n").hexdigest()
        [port] = processes.held_ports(1)
        self.assertEqual(self.problems(
            server_file="ip.txt", server_file_digest=digest, program="sh",
            listen=[f"127.0.0.1:{port}"], readable=["ip.txt"]), [])

    def test_each_problem_is_named(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            problems = self.problems(
                server_file="ip.txt", server_file_digest="0" * 64,
                program="no-such-program", readable=["no.pem"],
                listen=[address, "192.0.2.1:5"], batch_bytes=1 << 60)
        for part in ("too little memory: ", "ip.txt differs from that of",
                     "no.pem: No such file",
                     f"the port is taken: {address}",
                     "does not have the address 192.0.2.1:5",
                     "has no program no-such-program (COMMAND)"):
            self.assertEqual(len([p for p in problems if part in p]), 1,
                             (part, problems))
        self.assertEqual(len(problems), 6)

    def test_a_workspace_that_is_not_there_is_all_that_is_said(self):
        self.assertEqual(
            self.problems(workspace="/no/such", program="no-such"),
            ["there is no folder /no/such (--workspace)"])

    def test_another_graph(self):
        [problem] = self.problems(layout_digest="0" * 64)
        self.assertIn("another graph, or another partitioning", problem)
        [problem] = self.problems(graph="h")
        self.assertIn("/h/graph.json", problem)

    def test_only_the_files_of_its_partitions_are_wanted(self):
        copy = os.path.join(self.folder, "copy")
        shutil.copytree(self.graph, copy)
        shutil.rmtree(copy + "/part-0")
        self.assertEqual(self.problems(graph="copy", partitions=[1]), [])
        [problem] = self.problems(graph="copy", partitions=[0, 1])
        self.assertRegex(
            problem, r"lacks \d+ of the \d+ files of partitions 0,1 in .*copy: "
            r"no part-0/.*, \.\.\.; `tributary copy-files` sends them")


if __name__ == "__main__":
    unittest.main()
