"""The blocks of docs/migrating-from-dgl.md, pasted into a shell."""

import os
import random
import re
import signal
import subprocess
import unittest

from tests.e2e import made_up_graphs, processes

TRAINER = "trainer_client/torch/tributary-train"
DEADLINE = 240  # seconds, on a machine that does other things too

# Runs a command on "another machine": here, of which all loopback addresses
# are names.
SSH = """#!/bin/bash
[ "$1" = -n ] && [[ $2 = 127.* ]] || exit 2
exec bash -c "$3" </dev/null
"""


def blocks():
    """The page's commands by heading."""
    with open("docs/migrating-from-dgl.md", encoding="utf-8") as file:
        sections = file.read().split("\n## ")[1:]
    return {section.split("\n", 1)[0]:
            "".join(line[4:] + "\n" for line in section.split("\n")
                    if line.startswith("    "))
            for section in sections}


class MigrationTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(processes.temporary_folder())
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        for program in (processes.TRIBUTARY, TRAINER):
            os.symlink(os.path.abspath(program),
                       os.path.join(self.bin, os.path.basename(program)))
        ssh = os.path.join(self.bin, "ssh")
        with open(ssh, "w", encoding="utf-8") as file:
            file.write(SSH)
        os.chmod(ssh, 0o755)
        made_up_graphs.write_mag(os.path.join(self.folder, "ogbn_mag"),
                                 random.Random(5))

    def paste(self, commands):
        """Runs them; returns stdout. Nothing that they start stays."""
        bash = subprocess.Popen(
            ["/bin/bash", "-euo", "pipefail", "-c", commands],
            cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PATH": self.bin + ":" + os.environ["PATH"],
                 "OMP_NUM_THREADS": "1"})
        try:
            out, err = bash.communicate(timeout=DEADLINE)
        finally:
            try:
                os.killpg(bash.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            bash.wait()
        self.assertEqual(bash.returncode, 0, out + err + self.logs())
        return out

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".log"):
                with open(os.path.join(self.folder, name),
                          encoding="utf-8") as file:
                    text += f"--- {name}\n{file.read()}"
        return text

    def test_the_steps_run_as_they_stand(self):
        page = blocks()
        text = "".join(page[heading] for heading in page
                       if re.match("Step [123]", heading))
        # A network that no other test uses; ports stay as they are.
        network = "127.%d.%d" % tuple(random.randbytes(2))
        self.assertIn("172.31.0.1", text)
        out = self.paste(text.replace("172.31.0", network))
        self.assertIn("result test_accuracy=", out)
        self.assertIn("epoch 3/3", out)
        for part in range(4):
            with open(os.path.join(self.folder, f"server-{part}.log"),
                      encoding="utf-8") as file:
                self.assertIn(f"partitions={part}", file.read())

    def test_standalone_mode_runs(self):
        page = blocks()
        partition = next(line for line in page["Step 2: partition the graph"]
                         .split("\n") if line.startswith("tributary partition"))
        out = self.paste(partition + "\n" + page["Standalone mode"])
        self.assertIn("result test_accuracy=", out)


if __name__ == "__main__":
    unittest.main()
