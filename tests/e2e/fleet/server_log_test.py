"""What a server logs of clients that come and go as they should."""

import os
import unittest

from tests.e2e import folders, processes, sampling


class ServerLogTest(unittest.TestCase):
    def test_clients_that_end_are_no_trouble(self):
        folder = self.enterContext(processes.temporary_folder())
        graph = folders.partition(folders.CORA, os.path.join(folder, "g"), 2)
        with processes.Server(graph) as server:
            for _ in range(5):
                sampling.lines(("servers", server.address), batches="0:3")
            processes.run_ok("status", "--servers", server.address)
            self.assertNotIn("closed", server.stderr())
            self.assertNotIn("UNAVAILABLE", server.stderr())


if __name__ == "__main__":
    unittest.main()
