"""The page stays a page whatever jobs, servers and errors are called."""

import subprocess
import unittest
import xml.etree.ElementTree as xml

from tests.e2e.status import tables

PAGES = "tests/e2e/status/pages"
SEEDS = 300
ELEMENTS = {"html", "head", "meta", "title", "style", "body", "main", "h1",
            "h2", "p", "section", "table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "id",
              "scope", "class"}


def page(seed):
    done = subprocess.run([PAGES, "html", str(seed)], check=True,
                          capture_output=True, timeout=60)
    return done.stdout.decode()


class HostileNamesTest(unittest.TestCase):
    def test_pages_are_well_formed_and_have_no_elements_of_others(self):
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                text = page(seed)
                xml.fromstring(text)
                read = tables.Page(text)
                self.assertEqual(set(read.elements) - ELEMENTS, set())
                self.assertEqual(
                    {attribute for _, attribute, _ in read.attributes} -
                    ATTRIBUTES, set())
                self.assertEqual(len(read.tables["jobs"]), 5)
                self.assertEqual("servers" in read.tables, seed % 4 != 3)


if __name__ == "__main__":
    unittest.main()
