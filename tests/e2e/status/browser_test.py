"""The live page in headless Chromium, with scripts off."""

import os
import shutil
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.status import browser, tables

WIDTH, HEIGHT = 800, 1200


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which(browser.CHROMIUM):
            raise AssertionError(f"{browser.CHROMIUM} is missing: ./dev test "
                                 "--deep=browser installs it")
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        graph = folders.partition(folders.CORA,
                                  os.path.join(cls.folder, "g"), 2)
        cls.fleet = cls.enterClassContext(processes.Fleet(
            graph, ("0", "1"), "--http", "127.0.0.1:0"))
        cls.fleet.doctor()
        cls.address = cls.fleet.servers[0].http
        cls.evil = "<img src=x onerror=alert(1)>" + "w" * 200
        for job in ("alpha", cls.evil):
            processes.run_ok(*sampling.arguments(
                ("servers", cls.fleet.addresses()), batches="0:20",
                flags=("--worker-key", job)))
        processes.until(lambda: all(
            row["Busy"] != "-"
            for row in tables.get(cls.address).tables["servers"]))
        cls.tab = cls.enterClassContext(browser.Browser(
            os.path.join(cls.folder, "profile"), WIDTH, HEIGHT))

    def setUp(self):
        self.tab.open(f"http://{self.address}/")

    def test_the_tables_are_there_without_scripts(self):
        page = tables.Page(self.tab.html())
        self.assertEqual(
            {row["Server"]: row["State"] for row in page.tables["servers"]},
            {server.address: "ready" for server in self.fleet.servers})
        self.assertEqual(
            {row["Partitions"]: row["Owners"]
             for row in page.tables["partitions"]},
            {str(i): server.address
             for i, server in enumerate(self.fleet.servers)})
        alpha = page.row("jobs", "Job", "alpha")
        self.assertGreater(float(alpha["Batches/s"]), 0)
        self.assertIsNotNone(page.row("jobs", "Job", self.evil))
        self.assertNotIn("img", page.elements)

    def test_nothing_is_wrong_and_nothing_is_asked_of_others(self):
        self.assertEqual(self.tab.of("Log.entryAdded"), [])
        self.assertEqual(self.tab.of("Runtime.exceptionThrown"), [])
        self.assertEqual({request["request"]["url"] for request in
                          self.tab.of("Network.requestWillBeSent")},
                         {f"http://{self.address}/"})
        self.assertEqual({reply["response"]["status"] for reply in
                          self.tab.of("Network.responseReceived")}, {200})

    def test_it_is_painted(self):
        png = self.tab.screenshot()
        shot = os.path.join(
            os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR", self.folder),
            "status.png")
        with open(shot, "wb") as file:
            file.write(png)
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(png[16:20], "big"), WIDTH)
        self.assertGreater(len(png), 20_000)  # a blank one has 4 KB

    def test_it_is_no_wider_than_the_window(self):
        self.assertLessEqual(self.tab.content_width(), WIDTH)

    def test_it_loads_itself_again(self):
        before = len(self.tab.of("Page.loadEventFired"))

        def again():
            self.tab.content_width()  # takes what was told meanwhile
            return len(self.tab.of("Page.loadEventFired")) > before
        processes.until(again)


if __name__ == "__main__":
    unittest.main()
