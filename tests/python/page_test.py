"""The blocks of docs/python.md, as they stand there."""

import builtins
import os
import re
import unittest

import tributary_gnn as tg
from tests.e2e import processes, sampling
from tests.e2e.pages import page
from tests.python import scripts
from tools import page_blocks
from tributary_gnn import _arguments

PAGE = "docs/python.md"


# Those that get the package, and those of pyg/page_test.py.
OTHERS = ("./dev ", "import torch\n", "from torch import", "python3 examples/")


def blocks():
    """Those that a reader pastes after the package is found, in order."""
    return [block for block in page_blocks.blocks(page.text_of(PAGE))
            if not block.text().startswith(OTHERS)]


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(folder)
        os.symlink(os.path.abspath("tests"), self.shells.path("tests"))

    def paste_commands(self):
        for block in blocks():
            if block.language != "python":
                self.shells.paste(block.text())

    def run_python(self, text):
        """Runs it in the folder of the commands; returns its output."""
        done = scripts.run(f"os.chdir({self.shells.folder!r})\n{text}", "none")
        self.assertEqual((done.returncode, done.stderr), (0, ""), text)
        return done.stdout

    def test_blocks_run_one_after_the_other(self):
        self.paste_commands()
        output = self.run_python("".join(
            block.text() for block in blocks()
            if block.language == "python" and "servers.txt" not in block.text()))
        lines = output.splitlines()
        epochs = [re.fullmatch(r"(\d) (\d+) \((\d+), 1433\) \(2, \d+\) (\d+)", line)
                  for line in lines[:10]]
        self.assertTrue(all(found and found[2] == found[3] for found in epochs), output)
        self.assertEqual([(int(found[1]), int(found[4])) for found in epochs],
                         [(epoch, inputs) for epoch in (0, 1) for inputs in (32,) * 4 + (12,)])
        digests = [line.split()[2][:8] for line in sampling.lines(
            self.shells.path("cora4"), inputs="valid", fanouts=None, batch_size=100, seed=0,
            epoch=0, flags=("--kind", "walk", "--walk-length", 6))]
        self.assertEqual([line.split()[:2] for line in lines[10:]],
                         [[str(i), digest] for i, digest in enumerate(digests)])

    def test_the_three_lines_over_a_file_of_servers(self):
        self.paste_commands()
        [block] = [block for block in blocks() if "servers.txt" in block.text()]
        self.assertEqual(page.block("README.md", "import tributary_gnn"), block.text())
        with processes.Fleet(self.shells.path("cora4"), ["0,1", "2,3"]) as fleet:
            fleet.doctor()
            os.symlink(fleet.peers, self.shells.path("servers.txt"))
            text = block.text().replace("    ...", "    print(batch.index, len(batch.n_id))")
            output = self.run_python(text)
        self.assertRegex(output, r"^0 \d+\n$")
        self.assertGreater(int(output.split()[1]), 140)

    def test_the_table_of_errors(self):
        table = page.sections(PAGE)["Errors"]
        rows = re.findall(r"^\| (`tg\.[^|]+) \| `(\w+)` \|", table, re.M)
        listed = {name: also for names, also in rows for name in re.findall(r"tg\.(\w+)", names)}
        for name, also in listed.items():
            kind = getattr(tg, name)
            self.assertTrue(issubclass(kind, tg.Error), name)
            self.assertTrue(issubclass(kind, getattr(builtins, also)), name)
        self.assertEqual(set(listed) | {"Error"}, {
            name for name in tg.__all__ if isinstance(getattr(tg, name), type)
            and issubclass(getattr(tg, name), tg.Error)})

    def test_the_table_of_arguments(self):
        table = page.sections(PAGE)["Arguments"]
        [noted] = re.findall(r"^\| (.+) \| no effect", table, re.M)
        self.assertEqual(set(re.findall(r"`(\w+)`", noted)), set(_arguments.NOTES))
        [refused] = re.findall(r"^\| (.+) \| refused, with", table, re.M)
        self.assertEqual(set(re.findall(r"`(\w+)`", refused)),
                         set(_arguments.REFUSED) - {"kind"})
        [others] = re.findall(r"is a keyword, too:\n([^.]+)\.", table)
        self.assertEqual(set(re.findall(r"`(\w+)`", others)), set(tg.NeighborLoader.vocabulary.passed_on))


if __name__ == "__main__":
    unittest.main()
