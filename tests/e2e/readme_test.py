"""The commands of README.md's "Use it", pasted into bash as they stand."""

import os
import re
import signal
import subprocess
import unittest

from tests.e2e import processes

TRAINER = "trainer_client/torch/tributary-train"
DEADLINE = 200  # seconds, on a machine that does other things too

# Stands for the checkout's, whose `path` builds the programs with Bazel.
DEV = """#!/bin/bash
[ "$*" = path ] || exit 2
printf 'export PATH=%q:%q:"$PATH"\\n' {}
"""


def use_it():
    """The first block of commands below the heading "Use it"."""
    with open("README.md", encoding="utf-8") as file:
        section = file.read().split("\n## Use it\n")[1].split("\n## ")[0]
    block = re.search(r"(?:^(?:    .*)?\n)+", section.split("\n\n", 1)[1], re.M)
    return re.sub(r"^    ", "", block.group(), flags=re.M)


class ReadmeTest(unittest.TestCase):
    def setUp(self):
        self.commands = use_it()
        self.folder = self.enterContext(processes.temporary_folder())

    def checkout(self):
        """A folder like the checkout's top, for what the commands name."""
        os.symlink(os.path.abspath("tests"), os.path.join(self.folder, "tests"))
        dev = os.path.join(self.folder, "dev")
        with open(dev, "w", encoding="utf-8") as file:
            file.write(DEV.format(" ".join(
                f"'{os.path.abspath(os.path.dirname(program))}'"
                for program in (processes.TRIBUTARY, TRAINER))))
        os.chmod(dev, 0o755)

    def paste(self, commands):
        """Runs them; returns stdout by lines. Nothing that they start stays."""
        bash = subprocess.Popen(
            ["/bin/bash", "-euo", "pipefail", "-c", commands + "\nwait\n"],
            cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        try:
            out, err = bash.communicate(timeout=DEADLINE)
        finally:
            try:
                os.killpg(bash.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            bash.wait()
        self.assertEqual(bash.returncode, 0, out + err)
        return out.splitlines()

    def test_no_command_opens_a_server_to_the_network(self):
        self.assertNotIn("--insecure", self.commands)
        self.assertEqual(set(re.findall(r"\d+\.\d+\.\d+\.\d+", self.commands)),
                         {"127.0.0.1"})

    def test_the_commands_run_as_they_stand(self):
        self.checkout()
        commands = self.commands
        for port, free in zip(("50051", "50052"), processes.held_ports(2)):
            self.assertIn(port, commands)
            commands = commands.replace(port, str(free))
        lines = self.paste(commands)
        self.assertEqual(sum(line.startswith("ready ") for line in lines), 2)
        batches = [line for line in lines
                   if re.match(r"\d+ \d+ [0-9a-f]{64} ", line)]
        self.assertEqual([line.split()[:2] for line in batches[:3]],
                         [["2", "0"], ["2", "1"], ["2", "2"]])
        self.assertEqual(batches[3:6], batches[:3])
        self.assertEqual(len(batches), 10)  # 4 of the typed graph
        self.assertEqual(
            sum("test_accuracy=" in line for line in lines), 2, lines)
        self.assertEqual(sorted(os.listdir(self.folder)), ["dev", "tests"])


if __name__ == "__main__":
    unittest.main()
