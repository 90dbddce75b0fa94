"""Runs one test module: `python3 -B -m tests.run tests.oracle.vectors_test`.

Fails when no case ran, unless cases said why they were skipped. Takes part in Bazel's sharding and leaves the XML
report that Bazel and tools/count_tests.py read.
"""

import os
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree


class Result(unittest.TextTestResult):
    """Remembers each case: name, seconds, and what went wrong or was skipped.

    A case with failing subtests is one failed case.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seconds = {}
        self._began = None

    def startTest(self, test):
        super().startTest(test)
        self._began = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.seconds[test.id()] = time.monotonic() - self._began

    def report(self):
        root = ElementTree.Element("testsuites")
        suite = ElementTree.SubElement(root, "testsuite", name="python")
        wrong = {}
        for test, text in self.failures + self.errors:
            # A subtest counts for its case; setUpClass is a case of its own.
            case = getattr(test, "test_case", test)
            wrong.setdefault(case.id(), []).append(text)
        skipped = {test.id() for test, _ in self.skipped}
        for name in sorted({*self.seconds, *wrong, *skipped}):
            case = ElementTree.SubElement(
                suite, "testcase", name=name,
                time=f"{self.seconds.get(name, 0):.3f}")
            if name in wrong:
                ElementTree.SubElement(case, "failure").text = "\n".join(
                    wrong[name])
            elif name in skipped:
                ElementTree.SubElement(case, "skipped")
        return ElementTree.ElementTree(root)


def cases_of(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from cases_of(part)
        else:
            yield part


def this_shard(cases):
    status = os.environ.get("TEST_SHARD_STATUS_FILE")
    if status:
        open(status, "w").close()
    total = int(os.environ.get("TEST_TOTAL_SHARDS", "1"))
    index = int(os.environ.get("TEST_SHARD_INDEX", "0"))
    return [case for i, case in enumerate(cases) if i % total == index]


def main():
    if len(sys.argv) != 2:
        print("usage: python3 -m tests.run MODULE", file=sys.stderr)
        return 2
    loaded = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
    cases = this_shard(list(cases_of(loaded)))
    result = unittest.TextTestRunner(
        verbosity=2, resultclass=Result).run(unittest.TestSuite(cases))
    if os.environ.get("XML_OUTPUT_FILE"):
        result.report().write(os.environ["XML_OUTPUT_FILE"],
                              encoding="utf-8", xml_declaration=True)
    ran = result.testsRun - len(result.skipped)
    print(f"ran {ran} cases, {len(result.skipped)} skipped")
    if ran == 0 and not result.skipped:
        print("no case ran", file=sys.stderr)
        return 1
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
