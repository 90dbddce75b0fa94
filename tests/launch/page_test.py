"""The blocks of docs/launch.md that run here, and its systemd units."""

import os
import random
import re
import shutil
import subprocess
import unittest

from tests.e2e import processes
from tests.e2e.pages import page

PAGE = "docs/launch.md"


class LaunchPageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(folder)
        os.makedirs(self.shells.path("tests"))
        os.symlink(os.path.abspath("tests/data"),
                   self.shells.path("tests", "data"))

    def test_two_hosts_on_one_machine(self):
        # Addresses that no other test uses; ports stay as they are.
        text = page.block(PAGE, "tributary partition")
        first, second = ("127.%d.%d.1" % tuple(random.randbytes(2))
                         for _ in range(2))
        text = text.replace("127.0.0.1", first).replace("127.0.0.2", second)
        out = self.shells.paste(page.with_free_master_port(text))
        shown = page.block(PAGE, "127.0.0.1 server 0").replace(
            "127.0.0.1", first).replace("127.0.0.2", second)
        for line in shown.splitlines():
            self.assertIn(line + "\n", out)

    def test_the_unit_is_one_of_systemd(self):
        analyze = shutil.which("systemd-analyze")
        if analyze is None:
            self.skipTest("needs systemd-analyze (systemd)")
        unit = page.block(PAGE, "# /etc/systemd").replace(
            "/usr/local/bin/tributary", os.path.abspath(processes.TRIBUTARY))
        path = self.shells.path("tributary-server.service")
        with open(path, "w", encoding="utf-8") as file:
            file.write(unit)
        done = subprocess.run([analyze, "verify", "--man=no", path], text=True,
                              capture_output=True, timeout=60)
        self.assertNotIn("tributary-server.service:", done.stderr)

    def test_the_units_command_is_one_of_serve(self):
        """With its variables, and without the certificates of a host."""
        unit = page.block(PAGE, "# /etc/systemd").replace("\\\n", " ")
        command = re.search("^ExecStart=(.*)$", unit, re.M).group(1).split()
        variables = dict(
            line.split("=", 1) for line in page.block(PAGE, "# /etc/tributary")
            .splitlines() if "=" in line)
        words = [re.sub(r"\$\{(\w+)\}", lambda m: variables[m.group(1)], word)
                 for word in command]
        done = processes.run(*words[1:])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("/data/mag", done.stderr)  # only the graph is not here


if __name__ == "__main__":
    unittest.main()
