"""The harness itself: it must refuse what is not refused as it should be."""

import subprocess
import unittest

from tests.e2e.bad_input import (commands_test, disk_test, graph_files_test,
                                 graph_json_test, list_files_test,
                                 network_test, ogb_files_test, sample_test,
                                 train_test)
from tests.e2e.bad_input.cases import Case, Table

GOOD = "echo 'bad: no X; allowed: Y' >&2; exit 1"

# Scripts that a table must find fault with.
WRONG = {
    "success": "echo 'bad: X' >&2; exit 0",
    "another_exit_code": "echo 'bad: X' >&2; exit 2",
    "a_signal": "echo 'bad: X' >&2; kill -9 $$",
    "no_message": "exit 1",
    "four_lines": "printf 'bad: X\\n2\\n3\\n4\\n' >&2; exit 1",
    "somebody_else": "echo 'X: core dumped' >&2; exit 1",
    "other_words": "echo 'bad: Y' >&2; exit 1",
    "an_escape": "printf 'bad: X \\033[2J\\n' >&2; exit 1",
    "no_utf8": "printf 'bad: X \\377\\n' >&2; exit 1",
    "no_last_newline": "printf 'bad: X' >&2; exit 1",
    "a_line_without_end": "printf 'bad: X%9000s\\n' >&2; exit 1",
    "a_word_on_stdout": "echo done; echo 'bad: X' >&2; exit 1",
    "a_file_left": "touch $HERE/left; echo 'bad: X' >&2; exit 1",
    "a_folder_left": "mkdir $HERE/left; echo 'bad: X' >&2; exit 1",
    "a_file_gone": "rm $HERE/there; echo 'bad: X' >&2; exit 1",
}


class HarnessTest(Table):
    program = "/bin/sh"
    who = "bad"

    def case(self, script, **more):
        def spoil(here):
            with open(here + "/there", "w", encoding="ascii"):
                pass
        return Case("", ("-c", script.replace("$HERE", "{here}")), ("X",),
                    spoil=spoil, **more)

    def test_accepts_what_is_right(self):
        self.check(self.case(GOOD))

    def test_the_deadline_ends_the_case(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            self.check(self.case("exec sleep 60", deadline=0.2))

    def test_a_skipped_case_says_why(self):
        with self.assertRaisesRegex(unittest.SkipTest, "no such disk"):
            self.check(self.case(GOOD, skip=lambda: "no such disk"))

    def test_rows_are_counted(self):
        """docs/testing.md says how many; each row is a test of its own."""
        tables = (sample_test.SampleTest, commands_test.CommandsTest,
                  ogb_files_test.OgbFilesTest, graph_files_test.EachArrayTest,
                  graph_json_test.GraphJsonTest,
                  list_files_test.ListFilesTest, network_test.NetworkTest,
                  disk_test.DiskTest, train_test.TrainTest)
        rows = 0
        for table in tables:
            with self.subTest(table.__name__):
                tests = unittest.defaultTestLoader.getTestCaseNames(table)
                made = [t for t in tests if t[5:8].isdigit()]
                self.assertEqual(len(made), len(table.CASES))
                rows += len(made)
        print(f"{rows} rows")
        self.assertGreaterEqual(rows, 500)


def add_wrong():
    def finds_fault(script):
        def test(self):
            with self.assertRaises((AssertionError, UnicodeDecodeError)):
                self.check(self.case(script))
        return test

    for name, script in WRONG.items():
        setattr(HarnessTest, "test_finds_" + name, finds_fault(script))


add_wrong()

if __name__ == "__main__":
    unittest.main()
