"""aifb through files, fleets and threads."""

import unittest

from tests.e2e import folders
from tests.e2e.typed import TypedTest


class AifbTest(TypedTest, unittest.TestCase):
    """No features; 9 node types, 130 relations."""

    FLAGS = ("--add-reverse",)
    INPUT_TYPE, FANOUTS = "person", (4, 3)

    @staticmethod
    def make_source(folder):
        return folders.AIFB


if __name__ == "__main__":
    unittest.main()
