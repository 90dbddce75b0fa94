"""Trainers of two users on one machine."""

import os
import shutil
import subprocess
import tempfile
import unittest

from tests.e2e import folders, processes, sampling

NOBODY = 65534


@unittest.skipUnless(os.geteuid() == 0, "root alone can become others")
class TwoUsersTest(unittest.TestCase):
    def test_their_trainers_run_beside_each_other(self):
        options = dict(inputs=",".join(map(str, range(600))), batch_size=2,
                       fanouts="4,4")
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            os.chmod(folder, 0o755)  # the build's own folders may be closed
            program = shutil.copy(processes.TRIBUTARY, folder)
            graph = folders.partition(folders.CORA,
                                      os.path.join(folder, "g"), 2)
            expected = sampling.lines(graph, **options)
            words = sampling.arguments(
                graph, flags=("--mode", "mp", "--num-workers", 2), **options)
            with (processes.Process(*words, program=program,
                                    small_pipe=True) as ours,
                  processes.Process(*words, program=program, small_pipe=True,
                                    preexec=lambda: os.setuid(NOBODY))
                  as theirs):
                lines = [[trainer.read_line() for _ in range(20)]
                         for trainer in (ours, theirs)]
                # The ring, which has no name, is behind this.
                seen = subprocess.run(["ls", f"/proc/{ours.pid}/fd"],
                                      user=NOBODY, cwd="/",
                                      capture_output=True, check=False)
                self.assertIn(b"Permission denied", seen.stderr)
                for trainer, before in zip((ours, theirs), lines):
                    self.assertEqual(before + trainer.read_lines(), expected)
                    self.assertEqual(trainer.wait(), 0, trainer.stderr())


if __name__ == "__main__":
    unittest.main()
