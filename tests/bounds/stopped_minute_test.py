"""Stopped for a minute: three times what a connection bears of silence."""

import unittest

from tests.bounds import stopped_reader


class StoppedMinuteTest(stopped_reader.Cases, unittest.TestCase):
    stopped_for = 60


if __name__ == "__main__":
    unittest.main()
