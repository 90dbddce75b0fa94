"""Tests of count_tests.py and of the check_*.py of ./dev lint."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import check_docs  # noqa: E402
import check_layers  # noqa: E402
import check_names  # noqa: E402
import check_structure  # noqa: E402
import check_text  # noqa: E402
import compile_commands  # noqa: E402
import count_tests  # noqa: E402
import page_blocks  # noqa: E402

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

    def test_arrow(self):
        self.assertTrue(self.refused("partition/pipeline/inputs/input.cc", "arrow/api.h"))
        self.assertTrue(self.refused("cli/graph/a.cc", "parquet/arrow/reader.h"))
        self.assertFalse(self.refused("cli/parquet/a.cc", "parquet/arrow/reader.h"))

    def test_mpi(self):
        for header in ("mpi.h", "scotch-int64/ptscotch.h"):
            self.assertTrue(self.refused("cli/graph/a.cc", header))
            self.assertFalse(self.refused("partition/pipeline/mpi/a.cc", header))

    def test_fixtures_are_for_tests(self):
        fixture = "common/testing/sim_scheduler.h"
        self.assertTrue(self.refused("channel/a.cc", fixture))
        self.assertFalse(self.refused("channel/a_test.cc", fixture))
        self.assertFalse(self.refused("channel/testing/a.h", fixture))

    def test_imports_of_protos(self):
        text = 'syntax = "proto3";\nimport "sampler_server/kinds/walk/walk.proto";\n'
        found = list(check_layers.check("common/proto/session.proto", text))
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("common/proto/session.proto:2: "))

    def test_cycles_of_folders(self):
        graph = check_layers.FolderGraph()
        graph.add("common/a/x.h", '#include "common/b/y.h"\n')
        graph.add("common/b/y.h", "")
        self.assertEqual(list(graph.cycles()), [])
        graph.add("common/c/z.h", '#include "common/a/x.h"\n')
        graph.add("common/b/w_test.cc", '#include "common/a/x.h"\n')
        self.assertEqual(list(graph.cycles()), [])
        graph.add("common/b/w.cc", '#include "common/c/z.h"\n')
        self.assertEqual(len(list(graph.cycles())), 3)

    def test_cycles_of_what_folders_hold(self):
        graph = check_layers.FolderGraph()
        graph.add("common/a/x.h", '#include "common/b/jobs/y.h"\n')
        graph.add("common/b/jobs/y.h", "")
        self.assertEqual(list(graph.cycles()), [])
        graph.add("common/b/z.h", '#include "common/a/x.h"\n')
        self.assertEqual(
            sorted(graph.cycles()),
            ["common/a/x.h:1: common/b/jobs/y.h: common/a and common/b include each other",
             "common/b/z.h:1: common/a/x.h: common/b and common/a include each other"])

    def test_finds_the_line(self):
        found = list(check_layers.check("common/a.h", '\n#include "channel/message.h"\n'))
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("common/a.h:2: channel/message.h"))


class CheckStructure(unittest.TestCase):
    def test_large_folders(self):
        paths = [f"a/{number}.h" for number in range(check_structure.MAX_FILES)]
        self.assertEqual(list(check_structure.large_folders(paths)), [])
        self.assertEqual(len(list(check_structure.large_folders([*paths, "a/z.h"]))), 1)

    def test_scattered_classes(self):
        texts = {
            "a/ring.h": "class Ring {\n  void F();\n};\n",
            "a/ring.cc": "void Ring::F() {}\n",
            "a/more.cc": "std::map<int, int> Ring::G() {}\n",
            "a/user.cc": "void F() {\n  Ring::H();\n}\n",
            "b/other.cc": "void Ring::K() {}\n",
        }
        self.assertEqual(list(check_structure.scattered_classes(texts)), [])
        texts["a/third.cc"] = "Ring::~Ring() {}\n"
        found = list(check_structure.scattered_classes(texts))
        self.assertEqual(len(found), 1)
        self.assertIn("class Ring is in 3 sources", found[0])

    def test_calls_elsewhere(self):
        call = "void F(int* p) { __builtin_prefetch(p); }\n"
        texts = {"common/io/prefetch.h": call, "a/b.cc": call, "a/c.cc": "// F\n"}
        self.assertEqual(list(check_structure.calls_elsewhere(texts)),
                         ["a/b.cc: calls __builtin_prefetch; use common/io/prefetch.h"])

    def test_unbuilt_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder) / "BUILD.bazel"
            build.write_text('srcs = ["a_test.cc"] for name in ["walk"]')
            names = ("a_test.cc", "walk_test.cc", "b_test.cc", "b.cc")
            found = list(check_structure.unbuilt_tests(
                [f"{folder}/{name}" for name in names], lambda _: build))
        self.assertEqual(found, [f"{folder}/b_test.cc: no target of {build} builds it"])


class CheckNames(unittest.TestCase):
    def doubles(self, first, second):
        texts = {path: f"namespace tributary {{\n{text}\n}}  // namespace\n"
                 for path, text in (("a.h", first), ("b.cc", second))}
        return [line.split(":", 2)[2].split(" defined")[0].strip(": ")
                for line in check_names.doubles(texts)]

    def test_types(self):
        for first, second in (
                ("struct Row {\n int a;\n};", "class Row final : public Base<int> {};"),
                ("enum class Row : int { kA };", "using Row = std::vector<int>;"),
                ("template <typename T>\nclass Row {};", "// a\nstruct Row {};"),
                ("class ABSL_CACHED(x) Row {};", "struct Row\n    : Other {};")):
            self.assertEqual(self.doubles(first, second), ["Row: type"], first)

    def test_functions(self):
        for first, second, name in (
                ("int F(const A& a, int b = 1) {\n}", "int F(const A& other, int) {}", "F(const A &, int)"),
                ("std::function<void(int)> F() { return {}; }", "inline B F() {}", "F()"),
                ("bool operator==(const A& a, const A& b) { }",
                 "bool operator==(const A& c, const A& d) { }",
                 "operator==(const A &, const A &)")):
            self.assertEqual(self.doubles(first, second), [f"{name}: function"])

    def test_what_is_no_second_definition(self):
        for first, second in (
                ("struct Row {};", "struct Row;"),
                ("struct Row {};", "namespace {\nstruct Row {};\n}"),
                ("struct Row {};", "namespace other {\nstruct Row {};\n}"),
                ("struct Row {};", "struct Outer {\n struct Row {};\n};"),
                ("struct Row {};", '// struct Row {};\nconst char* k = "struct Row {";'),
                ("int F(int a) {}", "int F(double a) {}"),
                ("int F(int a) {}", "static int F(int b) {}"),
                ("int F(int a) {}", "int F(int a);"),
                ("int F(int a) {}", "int Row::F(int a) {}"),
                ("A::A(int a) : a_(std::move(a)) {}", "B::B(int a) : a_(std::move(a)) {}"),
                ("TEST(Row, Has) {}", "TEST(Row, Has) {}"),
                ("int F(int a) { if (a) { struct Row {}; } }", "struct Row {};")):
            self.assertEqual(self.doubles(first, second), [], second)


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        (self.root / "docs/page.md").write_text("# A page\n## Its `parts`, two\n")

    def errors(self, text):
        (self.root / "docs/this.md").write_text(text)
        return list(
            check_docs.check("docs/this.md", text, self.root, {"docs"}, "class SlotRing {")
        )

    def test_links(self):
        self.assertEqual(self.errors("[a](page.md) [b](page.md#its-parts-two) [c](../docs)\n"), [])
        self.assertEqual(len(self.errors("[a](gone.md)\n")), 1)
        self.assertEqual(len(self.errors("\n[a](page.md#gone)\n")), 1)

    def test_paths_and_classes(self):
        self.assertEqual(self.errors("`docs/page.md`, `SlotRing`, `a/b`, `NeighborLoader`s\n")[1:], [])
        self.assertEqual(len(self.errors("`docs/gone.md`\n")), 1)
        self.assertEqual(len(self.errors("`LeafStream`\n")), 1)
        self.assertEqual(self.errors("| `NeighborLoader` | of PyG |\n"), [])


    def test_blocks_that_may_never_end(self):
        errors = self.errors("# A page\n\n    until true; do sleep 1; done\n")
        self.assertEqual(errors, ["docs/this.md:3: until without a bound: an option --wait, "
                                  "or timeout"])


class PageBlocks(unittest.TestCase):
    def test_blocks(self):
        text = ("# A\n    one\n      two\n\n    three\n\ntext\n    no block\n\n- item\n\n      four\n"
                "  1. in it\n\n         five\n\nafter\n\n```cpp\n    six\n```\n")
        self.assertEqual([(b.line, b.language, b.lines) for b in page_blocks.blocks(text)], [
            (2, "", ["one", "  two", "", "three"]), (12, "", ["four"]), (15, "", ["five"]),
            (20, "cpp", ["    six"])])

    def unbounded(self, *lines):
        return [line for line, _ in page_blocks.unbounded(
            "\n".join(["text", "", *("    " + line for line in lines), ""]))]

    def test_what_may_never_end(self):
        for line in (
            "until tributary status --servers a; do sleep 0.2; done",
            "true; while kill -0 $pid; do sleep 1; done",
            "for i in 1 2; do while true; do :; done; done",
            "while read -r line; do echo $line; done",
            "for ((;;)); do :; done",
            "wait", "a & b & wait", "wait; cat log", "wait # for all",
            "curl -sS 127.0.0.1:9092/metrics | grep a", "wget http://a",
            "kubectl -n t rollout status deployment/a", "kubectl wait --for=condition=Ready pod/a",
            "kubectl drain NODE", "kubectl -n t logs -f job/a", "kubectl get pods -w",
            "tail -f log", "tail -n 1 -F log", "watch date", "sleep infinity",
            "tributary serve --graph g --listen 127.0.0.1:1",
            "tributary serve --graph g >log 2>&1", "import numpy as np",
        ):
            self.assertEqual(self.unbounded("echo", line), [4], line)
        self.assertEqual(self.unbounded("until a; do", "  b", "done"), [3])
        self.assertEqual(self.unbounded("curl \\", "  -s a", "wait"), [3, 5])

    def test_what_ends(self):
        for line in (
            "while read -r host; do ssh -n $host a; done < hosts.txt",
            "timeout 1m bash -c 'until a; do sleep 0.2; done'",
            "for i in 1 2; do a; done", "wait $pid", 'wait "${all[@]}"', "a --wait 1m",
            "curl -m 5 a", "curl --max-time 10 a", "kubectl wait --timeout=4h job/a",
            "kubectl -n t logs --tail=20 job/a", "tail -n 1 log",
            "tributary serve --graph g & server=$!", "tributary serve --graph g >log 2>&1 &",
            "timeout 1d tributary serve --graph g", "tributary serve --graph g ...",
            "tributary serve --graph g --listen ADDRESS:1", "echo # until a; do b; done",
        ):
            self.assertEqual(self.unbounded(line), [], line)
        self.assertEqual(self.unbounded("while read -r a; do", "  b", "done < c"), [])
        self.assertEqual(self.unbounded("cat <<'END'", "wait", "END"), [])
        self.assertEqual(list(page_blocks.unbounded("```cpp\nwait\nuntil a\n```\n")), [])


class CompileCommands(unittest.TestCase):
    def test_one_entry_for_a_source(self):
        flags = ["gcc", "-MD", "-MF", "a.d", "-Iexternal/torch", "-isystem", "external/x"]
        actions = [
            {"arguments": [*flags, "-c", "channel/a.cc", "-o", "a.o"]},
            {"arguments": [*flags, "-c", "channel/a.cc", "-o", "b.o"]},
            {"arguments": [*flags, "-c", "bazel-out/x.pb.cc", "-o", "x.o"]},
            {"arguments": ["protoc"]},
        ]
        external = compile_commands.EXTERNAL
        self.assertEqual(
            compile_commands.commands(actions, "/src/t"),
            [
                {
                    "directory": "/src/t",
                    "file": "channel/a.cc",
                    "arguments": [
                        "gcc",
                        f"-I{external}torch",
                        "-isystem",
                        f"{external}x",
                        "channel/a.cc",
                    ],
                }
            ],
        )


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
