"""Tests of count_tests.py, check_layers.py and check_text.py."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import check_layers  # noqa: E402
import check_text  # noqa: E402
import count_tests  # noqa: E402

GTEST = """<testsuites><testsuite name="A">
<testcase name="a" status="run" result="completed"/>
<testcase name="b" status="run" result="completed"><failure message="x"/></testcase>
<testcase name="c" status="run" result="skipped"><skipped/></testcase>
<testcase name="DISABLED_d" status="notrun" result="suppressed"/>
</testsuite></testsuites>"""
ONE_PASSED = '<testsuite><testcase name="a" status="run"/></testsuite>'


def configured(label, kind="cc_test rule"):
    return {
        "id": {"targetConfigured": {"label": label}},
        "configured": {"targetKind": kind},
    }


def completed(label, success=True):
    return {"id": {"targetCompleted": {"label": label}}, "completed": {"success": success}}


def summary(label, status):
    return {"id": {"testSummary": {"label": label}}, "testSummary": {"overallStatus": status}}


class CountTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def result(self, label, xml, status="PASSED", attempt=1, shard=1):
        path = self.folder / f"{abs(hash((label, attempt, shard)))}.xml"
        path.write_text(xml)
        id_ = {"label": label, "run": 1, "shard": shard, "attempt": attempt}
        output = {"name": "test.xml", "uri": path.as_uri()}
        return {
            "id": {"testResult": id_},
            "testResult": {"status": status, "testActionOutput": [output]},
        }

    def count(self, *events, code=0):
        total, lines = count_tests.Run(events).count(code)
        return str(total), lines

    def test_cases_by_kind(self):
        self.assertEqual(
            str(count_tests.count_cases(GTEST)), "1 passed, 1 failed, 1 skipped"
        )

    def test_sums_targets_and_shards(self):
        events = [configured("//a:t"), configured("//b:t")]
        events += [self.result("//a:t", ONE_PASSED, shard=s) for s in (1, 2)]
        events += [self.result("//b:t", ONE_PASSED)]
        events += [summary("//a:t", "PASSED"), summary("//b:t", "PASSED")]
        self.assertEqual(self.count(*events), ("3 passed, 0 failed", []))

    def test_only_the_last_attempt_counts(self):
        events = [
            configured("//a:t"),
            self.result("//a:t", GTEST, "FAILED", attempt=1),
            self.result("//a:t", ONE_PASSED, attempt=2),
            summary("//a:t", "FLAKY"),
        ]
        self.assertEqual(self.count(*events)[0], "1 passed, 0 failed")

    def test_timeout_without_report(self):
        events = [
            configured("//a:t"),
            self.result("//a:t", "", "TIMEOUT"),
            summary("//a:t", "TIMEOUT"),
        ]
        text, lines = self.count(*events, code=3)
        self.assertEqual(text, "0 passed, 1 failed")
        self.assertIn("//a:t: TIMEOUT", lines[0])

    def test_failed_at_exit_though_cases_passed(self):
        events = [
            configured("//a:t"),
            self.result("//a:t", ONE_PASSED, "FAILED"),
            summary("//a:t", "FAILED"),
        ]
        self.assertEqual(self.count(*events, code=3)[0], "1 passed, 1 failed")

    def test_test_that_did_not_build(self):
        events = [configured("//a:t"), completed("//a:t", success=False)]
        self.assertEqual(self.count(*events, code=1)[0], "0 passed, 1 failed")

    def test_library_that_did_not_build(self):
        events = [
            configured("//a:l", "cc_library rule"),
            completed("//a:l", success=False),
            configured("//b:t"),
            self.result("//b:t", ONE_PASSED),
            summary("//b:t", "PASSED"),
        ]
        self.assertEqual(self.count(*events, code=1)[0], "1 passed, 1 failed")

    def test_no_report_at_all(self):
        self.assertEqual(self.count(code=37)[0], "0 passed, 1 failed")

    def test_nothing_run_is_no_success(self):
        report = self.folder / "empty.json"
        report.write_text(json.dumps({"id": {}}) + "\n")
        self.assertEqual(count_tests.main([f"tests={report}:0"]), 1)

    def test_checks(self):
        self.assertEqual(count_tests.main(["tidy=check:0"]), 0)
        self.assertEqual(count_tests.main(["tidy=check:1"]), 1)


class CheckLayers(unittest.TestCase):
    def refused(self, path, header):
        return check_layers.wrong_arrow(path, header) is not None

    def test_downward_is_allowed(self):
        self.assertFalse(self.refused("channel/a.cc", "common/io/buffer.h"))
        self.assertFalse(self.refused("cli/main.cc", "sampler_server/service.h"))
        self.assertFalse(self.refused("sampler_server/service.h", "sampler_server/engine/hop/hop.h"))

    def test_upward_and_sideways_are_refused(self):
        self.assertTrue(self.refused("common/a.h", "channel/transport.h"))
        self.assertTrue(self.refused("sampler_server/engine/hop/hop.cc", "channel/message.h"))
        self.assertTrue(self.refused("trainer_client/core/a.cc", "sampler_server/service.h"))
        self.assertTrue(self.refused("channel/a.cc", "tests/sim/fleet.h"))

    def test_torch_and_grpc(self):
        self.assertTrue(self.refused("trainer_client/core/a.cc", "torch/torch.h"))
        self.assertFalse(self.refused("trainer_client/torch/a.cc", "torch/torch.h"))
        self.assertTrue(self.refused("sampler_server/engine/a.cc", "grpcpp/grpcpp.h"))

    def test_finds_the_line(self):
        found = list(check_layers.check("common/a.h", '\n#include "channel/message.h"\n'))
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("common/a.h:2: channel/message.h"))


class CheckText(unittest.TestCase):
    def errors(self, text, path="a.cc", folders=("/builds/me/",)):
        return list(check_text.check(path, text, folders))

    def test_paths_of_a_machine(self):
        self.assertTrue(self.errors("cd /builds/me/x\n"))
        self.assertTrue(self.errors("cd /" + "home/me/x\n"))
        self.assertFalse(self.errors("ls $OUT/home/x /usr/include\n"))

    def test_tidiness(self):
        self.assertTrue(self.errors("a \n"))
        self.assertTrue(self.errors("a"))
        self.assertTrue(self.errors("a\r\n"))
        self.assertFalse(self.errors("a\n"))


if __name__ == "__main__":
    unittest.main()
