"""A folder outside the checkout, with a workspace of its own, as
examples/distributed/README.md makes it: it builds, and trains with two ranks.

Runs Bazel below Bazel, with an output base of its own that is kept, so that a
later run compiles only what has changed.
"""

import os
import pwd
import subprocess
import tempfile
import unittest

from tests.e2e.train import distributed_example
from tests.e2e.pages import page

PAGE = "examples/distributed/README.md"
BUILD_DEADLINE = 3000  # seconds: some 350 sources, where no cache has them


def checkout():
    """The folder that the runfiles are links into."""
    return os.path.dirname(os.path.realpath("dev"))


def environment():
    """That of a user's shell: no variables of the Bazel that runs this test."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    kept = {name: os.environ[name] for name in (
        "PATH", "XDG_CACHE_HOME", "TRIBUTARY_LIBTORCH") if name in os.environ}
    return {"HOME": home, "CI": "true", **kept}


class OutsideTest(unittest.TestCase):
    def build(self, folder):
        """Pastes the page's block; returns the program."""
        own = environment()
        text = page.commands(page.sections(PAGE)["Outside the checkout"])
        self.assertIn("../my-trainer", text)
        text = text.replace("../my-trainer", folder)
        base = os.path.join(
            own.get("XDG_CACHE_HOME") or own["HOME"] + "/.cache",
            "tributary", "outside")
        # Beside the block: where Bazel keeps what it makes, and how much memory
        # and how many processes it takes; with little optimisation, for the
        # sake of the compilers' time (without GCC 12's pass "cp", which dies on
        # sources that ask for -O3 themselves).
        text = text.replace(
            "/usr/bin/bazel build",
            f"printf '%s\\n' 'startup --output_base={base}' "
            "'startup --host_jvm_args=-Xmx700m' 'build --jobs=2 --curses=no' "
            "'build --copt=-O1 --copt=-fno-ipa-cp' "
            ">> .bazelrc\ntrap '/usr/bin/bazel shutdown' EXIT\n"
            "/usr/bin/bazel build")
        done = subprocess.run(
            ["/bin/bash", "-euo", "pipefail", "-c", text], cwd=checkout(),
            env=own, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=BUILD_DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-8000:])
        return os.path.join(folder, "bazel-bin", "trainer")

    def test_a_folder_outside_builds_and_trains(self):
        # Bazel refuses to run in a folder of its own, as the test's is.
        with tempfile.TemporaryDirectory(dir="/tmp") as parent:
            program = self.build(os.path.join(parent, "my-trainer"))
            distributed_example.check(self, program)


if __name__ == "__main__":
    unittest.main()
