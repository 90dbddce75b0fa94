"""tributary_gnn beside Debian's grpcio, whose libraries have the names of the wheel's, and
beside PyTorch."""

import unittest

from tests.wheel.beside_case import BesideCase


class BesideTest(BesideCase):
    def test_grpc_and_torch(self):
        self.check_beside("grpc", "torch")


if __name__ == "__main__":
    unittest.main()
