"""`sample --trace`, `--trace-file`, `--step-time` and `status --batch`: what they print
beside the batches, and what they refuse."""

import json
import os
import stat
import time
import unittest

from tests.e2e import folders, processes, sampling
from tests.e2e.trace import traces


def spans_of(line):
    """The spans of a line of OTLP/JSON, with the service that each is of."""
    spans = []
    for resource in json.loads(line)["resourceSpans"]:
        names = {a["key"]: a["value"]["stringValue"] for a in resource["resource"]["attributes"]}
        for scope in resource["scopeSpans"]:
            spans += [{**span, "service": names["service.name"]} for span in scope["spans"]]
    return spans


class TraceFlagsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(processes.temporary_folder())
        cls.graph = folders.partition(folders.CORA, os.path.join(cls.folder, "g"), 2)

    def check_file(self, path, batches):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(len(lines), batches)
        for line in lines:
            spans = spans_of(line)
            self.assertEqual(len({span["traceId"] for span in spans}), 1)
            ids = {span["spanId"]: span for span in spans}
            self.assertEqual(len(ids), len(spans))
            roots = [span for span in spans if "parentSpanId" not in span]
            self.assertEqual([root["name"] for root in roots], ["batch"])
            for span in spans:
                self.assertTrue(span is roots[0] or span["parentSpanId"] in ids)
            names = {(span["service"], span["name"]) for span in spans}
            self.assertLessEqual({("tributary-trainer", "attempt"),
                                  ("tributary-trainer", "wait in ring"),
                                  ("tributary-sampler", "make batch"),
                                  ("tributary-sampler", "sample")}, names)
        return lines

    def test_every_mode_traces_and_its_lines_stay_the_same(self):
        plain = sampling.lines(self.graph, batches="0:3")
        path = os.path.join(self.folder, "modes.jsonl")
        with processes.Server(self.graph) as server:
            for number, (where, flags) in enumerate([
                    (self.graph, ()), (self.graph, ("--mode", "mp", "--num-workers", 2)),
                    (("servers", server.address), ())], 1):
                traced = traces.Traced(where, "--trace-file", path, *flags, batches="0:3")
                self.assertEqual(traced.lines, plain, flags)
                self.assertEqual(list(traced.batches), [0, 1, 2], flags)
                for index in range(3):
                    self.assertRegex(traced.explanation(index), "^Most of it: ")
                    self.assertTrue(all(len(line) <= 100
                                        for line in traced.batches[index][:-1]))
                self.check_file(path, 3 * number)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)

    def test_a_worker_options_file_may_name_the_file(self):
        path = os.path.join(self.folder, "options.jsonl")
        options = os.path.join(self.folder, "options.json")
        with open(options, "w", encoding="utf-8") as file:
            json.dump({"mode": "collocated", "graph": self.graph, "trace_file": path}, file)
        sampling.lines(("worker-options", options), batches="0:2")
        self.check_file(path, 2)

    def test_without_the_flags_nothing_is_traced(self):
        done = processes.run(*sampling.arguments(self.graph, batches="0:3"))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "")

    def test_a_step_takes_its_time(self):
        began = time.monotonic()
        sampling.lines(self.graph, batches="0:4", flags=("--step-time", "0.1"))
        self.assertGreater(time.monotonic() - began, 0.4)

    def test_a_servers_record_as_spans(self):
        with processes.Server(self.graph) as server:
            sampling.lines(("servers", server.address), batches="0:1", flags=("--trace",))
            [line] = traces.status(server.address, "default/2/0", "--otlp")
            [root] = [span for span in spans_of(line) if "parentSpanId" not in span]
            self.assertEqual((root["service"], root["name"]), ("tributary-sampler", "make batch"))
            self.assertEqual(root["kind"], 2)
            age = time.time() - int(root["startTimeUnixNano"]) / 1e9
            self.assertTrue(0 <= age < processes.DEADLINE, age)

    def test_a_batch_that_is_not_known(self):
        with processes.Server(self.graph) as server:
            done = processes.run("status", "--servers", server.address, "--batch", "none/0/0")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertIn("NOT_FOUND: no server knows of batch none/0/0: ", done.stderr)

    def test_what_is_refused(self):
        sample = sampling.arguments(self.graph, batches="0:1")
        where = ["status", "--servers", "127.0.0.1:1"]
        for code, words, text in (
                (2, [*sample, "--step-time", "-1"], "--step-time"),
                (2, [*sample, "--step-time", "61"], "--step-time"),
                (1, [*sample, "--trace-file", "/no/t"], "trace_file: cannot open /no/t"),
                (1, [*sample, "--trace-file", "/dev/null"], "/dev/null is no regular file"),
                (2, [*where, "--batch", "mine/1"], "JOB/EPOCH/INDEX"),
                (2, [*where, "--batch", "/1/2"], "JOB/EPOCH/INDEX"),
                (2, [*where, "--otlp"], "--batch")):
            done = processes.run(*words)
            self.assertEqual(done.returncode, code, words)
            self.assertIn(text, done.stderr, words)


if __name__ == "__main__":
    unittest.main()
