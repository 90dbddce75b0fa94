"""examples/distributed as it is built in the checkout."""

import subprocess
import unittest

from tests.e2e.train import distributed_example


class DistributedExampleTest(unittest.TestCase):
    def test_two_ranks(self):
        distributed_example.check(self, distributed_example.IN_CHECKOUT)

    def test_two_launchers_are_refused(self):
        done = subprocess.run(
            [distributed_example.IN_CHECKOUT, "127.0.0.1:1", "1", "2"],
            text=True, capture_output=True, timeout=60, check=False,
            env=distributed_example.environment(RANK="0", WORLD_SIZE="2"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("as torchrun sets it", done.stderr)


if __name__ == "__main__":
    unittest.main()
