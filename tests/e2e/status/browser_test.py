"""The live page in headless Chromium, with scripts off."""

import json
import os
import re
import shutil
import subprocess
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.status import tables

CHROMIUM = "chromium-headless-shell"
WIDTH = 800
# Says how wide the laid-out page is, in place of a person who looks.
MEASURE = ("<script>document.body.setAttribute('data-width', "
           "document.documentElement.scrollWidth)</script></body>")


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which(CHROMIUM):
            raise AssertionError(
                f"{CHROMIUM} is missing: ./dev test --deep=browser installs it")
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        graph = folders.partition(folders.CORA,
                                  os.path.join(cls.folder, "g"), 2)
        cls.fleet = cls.enterClassContext(processes.Fleet(
            graph, ("0", "1"), "--http", "127.0.0.1:0"))
        cls.fleet.doctor()
        cls.server = cls.fleet.servers[0]
        cls.evil = "<img src=x onerror=alert(1)>" + "w" * 200
        for job in ("alpha", cls.evil):
            processes.run_ok(*sampling.arguments(
                ("servers", cls.fleet.addresses()), batches="0:20",
                flags=("--worker-key", job)))
        processes.until(lambda: all(
            row["Busy"] != "-"
            for row in tables.get(cls.server.http).tables["servers"]))

    def chromium(self, url, *flags):
        """What it prints, and what it logs."""
        done = subprocess.run(
            [CHROMIUM, "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--window-size={WIDTH},1200", "--enable-logging=stderr",
             f"--user-data-dir={self.folder}/profile", *flags, url],
            capture_output=True, timeout=120, check=True)
        return done.stdout.decode(), done.stderr.decode(errors="replace")

    def page(self, *flags):
        return self.chromium(f"http://{self.server.http}/",
                             "--blink-settings=scriptEnabled=false", *flags)

    def test_the_tables_are_there_without_scripts(self):
        net_log = os.path.join(self.folder, "net.json")
        dom, log = self.page("--dump-dom", f"--log-net-log={net_log}")
        page = tables.Page(dom)
        self.assertEqual(
            {row["Server"] for row in page.tables["servers"]},
            {server.address for server in self.fleet.servers})
        self.assertEqual({row["State"] for row in page.tables["servers"]},
                         {"ready"})
        self.assertIsNotNone(page.row("jobs", "Job", "alpha"))
        self.assertIsNotNone(page.row("jobs", "Job", self.evil))
        self.assertNotIn("img", page.elements)
        self.assertNotIn("CONSOLE", log)
        self.no_requests_elsewhere(net_log)

    def no_requests_elsewhere(self, net_log):
        with open(net_log, encoding="utf-8") as file:
            text = file.read()
        asked = {event["params"]["url"]
                 for event in json.loads(text)["events"]
                 if "url" in event.get("params", {})}
        self.assertIn(f"http://{self.server.http}/", asked)
        # What the browser asks of its maker is not the page's.
        initiated = {
            event["params"]["url"] for event in json.loads(text)["events"]
            if event.get("params", {}).get("initiator") ==
            f"http://{self.server.http}"}
        self.assertEqual({url for url in initiated
                          if not url.startswith(
                              f"http://{self.server.http}/")}, set())

    def test_it_is_painted(self):
        shot = os.path.join(
            os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR", self.folder),
            "status.png")
        self.page(f"--screenshot={shot}")
        with open(shot, "rb") as file:
            png = file.read()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(png[16:20], "big"), WIDTH)
        self.assertGreater(len(png), 10_000)  # a blank one has 4 KB

    def test_it_is_no_wider_than_the_window(self):
        dom, _ = self.page("--dump-dom")
        copy = os.path.join(self.folder, "page.html")
        with open(copy, "w", encoding="utf-8") as file:
            file.write(dom.replace("</body>", MEASURE))
        measured, _ = self.chromium("file://" + copy, "--dump-dom")
        width = re.search(r'data-width="(\d+)"', measured)
        self.assertIsNotNone(width, measured[-500:])
        self.assertLessEqual(int(width[1]), WIDTH)


if __name__ == "__main__":
    unittest.main()
