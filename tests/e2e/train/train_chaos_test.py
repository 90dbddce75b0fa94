"""A few stops of train_chaos; `./dev test --deep` makes 50."""

import os
import unittest

from tests.e2e.train import train_chaos


class TrainChaosTest(unittest.TestCase):
    def test_a_run_that_is_stopped_has_the_bits_of_one_that_is_not(self):
        stops = int(os.environ.get("TRIBUTARY_CHAOS_STOPS", "4"))
        train_chaos.main(stops, seed=1)


if __name__ == "__main__":
    unittest.main()
