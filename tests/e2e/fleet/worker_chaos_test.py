"""Some rounds of worker_chaos; `./dev test --deep` runs 2,000."""

import os
import unittest

from tests.e2e.fleet import worker_chaos


class WorkerChaosTest(unittest.TestCase):
    def test_nothing_is_lost_and_nothing_left(self):
        rounds = int(os.environ.get("TRIBUTARY_CHAOS_ROUNDS", "12"))
        worker_chaos.main(rounds, seed=1)


if __name__ == "__main__":
    unittest.main()
