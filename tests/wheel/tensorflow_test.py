"""tributary_gnn beside TensorFlow, whose libraries have protobuf and Abseil in them and
are loaded for the whole process to see (RTLD_GLOBAL)."""

import os
import unittest

from tests.wheel.beside_case import BesideCase

PACKAGES = "external/tensorflow/path.txt"


class TensorFlowTest(BesideCase):
    def test_tensorflow_and_its_grpc(self):
        with open(PACKAGES, encoding="utf-8") as file:
            os.environ["PYTHONPATH"] = file.read()
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        self.check_beside("grpc", "tensorflow")


if __name__ == "__main__":
    unittest.main()
