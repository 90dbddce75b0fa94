"""Stopped for as long as another trainer takes for an epoch."""

import unittest

from tests.bounds import stopped_reader


class StoppedReaderTest(stopped_reader.Cases, unittest.TestCase):
    stopped_for = 0


if __name__ == "__main__":
    unittest.main()
