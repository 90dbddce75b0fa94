"""docs/operations.md: its blocks pasted, its table of alerts beside the rules."""

import os
import re
import shutil
import subprocess
import sys
import threading
import unittest
from socketserver import BaseRequestHandler, TCPServer

import yaml

from tests.e2e import folders, processes
from tests.e2e.pages import page
from tools import kubectl

PAGE = "docs/operations.md"
METRICS = "docs/metrics.md"
RULES = "k8s/base/alerts/prometheus-rule.yaml"
CLUSTER_SECTIONS = (
    "Images", "The cluster, once", "A graph", "Samplers", "Trainers",
    "TLS", "Scaling", "Alerts", "Rolling upgrades", "Node drains", "Daily graphs")

# Stands for the checkout's, whose `path` builds the programs with Bazel.
DEV = """#!/bin/bash
case $* in
  path) echo : ;;
  images) grep -q '^  images' {root}/dev && echo images ;;
  *) exit 2 ;;
esac
"""
SKOPEO = """#!/bin/bash
[[ $1 = copy && $2 = oci-archive:bazel-bin/k8s/images/*.tar ]] || exit 2
[[ $3 = docker://registry.example/tributary-*:* ]] || exit 2
"""


def table_rows(text):
    """Cells of the rows of the tables, without their heads."""
    rows = re.findall(r"^\| (.+) \|$", text, re.M)
    return [row.split(" | ") for row in rows if not set(row) <= set("-| ")]


def section(path, heading):
    """The text of a section with that of its subsections."""
    return page.text_of(path).split(f"\n## {heading}\n")[1].split("\n## ")[0]


class Holder(TCPServer):
    allow_reuse_address = True


class OperationsPageTest(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(processes.temporary_folder())
        self.shells = page.Shells(folder)

    def checkout(self, *parts):
        """A folder like the checkout's top, for what the commands name.

        Copies, since kustomize reads no links to files elsewhere.
        """
        for part in parts:
            copy = shutil.copytree if os.path.isdir(part) else shutil.copy
            copy(part, self.shells.path(part))
        self.write_program(self.shells.path("dev"),
                           DEV.format(root=os.getcwd()))

    def write_program(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def test_the_rehearsal_runs_as_it_stands(self):
        self.checkout("tests/data/cora")
        commands = page.commands(section(PAGE, "Rehearsal on one machine"))
        self.assertEqual(set(re.findall(r"\d+\.\d+\.\d+\.\d+", commands)),
                         {"127.0.0.1"})
        out = self.shells.paste(page.with_free_ports(commands))
        self.assertEqual(len(re.findall("^ready ", out, re.M)), 3, out)
        self.assertRegex(out, r"(?m)^  batches/s +\d")
        self.assertEqual(len(re.findall("^result test_accuracy=", out, re.M)),
                         2, out)
        self.assertRegex(out, r"(?m)^tributary_draining 0$")
        self.assertFalse(os.path.exists(self.shells.path("rehearsal")))

    def test_the_rehearsal_ends_when_a_port_is_taken(self):
        """As in a terminal, where a command that fails does not end the others."""
        self.checkout("tests/data/cora")
        commands = page.commands(section(PAGE, "Rehearsal on one machine"))
        text = page.with_free_ports(
            commands.replace("--wait 1m", "--wait 2s").replace("--epochs 40", "--epochs 2"))
        [port] = re.findall(r"^sampler (\d+) \d+ & second", text, re.M)
        # A program that is no sampler: it closes each connection. with_free_ports() holds the
        # port without listening; a second listener is refused.
        taken = self.enterContext(Holder(("127.0.0.1", int(port)), BaseRequestHandler))
        threading.Thread(target=taken.serve_forever, args=(0.05,)).start()
        self.addCleanup(taken.shutdown)
        shell = self.shells.start("set +e\n" + text)
        try:
            self.assertIsNotNone(shell.wait(page.DEADLINE), shell.output())
        finally:
            shell.end()
        self.assertIn("--wait 2s is over", shell.output())

    def paste_into_a_cluster(self, path, headings, instead=None):
        self.checkout("k8s", "VERSION")
        self.shells.add_program("kubectl", (
            f"#!/bin/bash\nexec {sys.executable} -B "
            f"{os.path.abspath('tests/e2e/pages/fake_kubectl.py')} \"$@\"\n"))
        self.shells.add_program("skopeo", SKOPEO)
        text = "".join(page.commands(section(path, heading))
                       for heading in headings)
        if instead:  # begins another way, in a cluster without the first one's
            self.assertIn(instead, text)
            text = text.replace(instead, f"rm cluster.json; {instead}")
        self.assertIn("kubectl apply -k k8s/overlays/whole\n", text)
        environment = (
            f"export REAL_KUBECTL={kubectl.main()} CLUSTER=$PWD/cluster.json "
            f"PROGRAMS={self.shells.path('bin')} AWS_ACCESS_KEY_ID=a "
            "AWS_SECRET_ACCESS_KEY=b\n")
        self.shells.paste(environment + text)

    def test_the_blocks_for_a_cluster_name_what_is_there(self):
        self.paste_into_a_cluster(PAGE, CLUSTER_SECTIONS)

    def test_so_do_those_of_the_manifests_page(self):
        self.paste_into_a_cluster(
            "k8s/README.md", ("Apply it", "A namespace of your own", "Upgrade"),
            instead="kubectl apply -k k8s/overlays/graph-from-object-store")

    def test_flags_are_those_of_the_programs(self):
        known = set()
        for program, commands in ((processes.TRIBUTARY, (
                "serve", "status", "doctor", "bench", "sample", "partition",
                "verify", "tensors")), (page.TRAINER, ("",))):
            for command in commands:
                known |= set(re.findall(r"--[a-z][\w-]*", subprocess.run(
                    [program, *command.split(), "--help"], text=True,
                    capture_output=True, timeout=60, check=True).stdout))
        for text in re.findall(r"`([^`\n]+)`", page.text_of(PAGE)):
            if re.match(r"(--|tributary|serve |status )", text):
                with self.subTest(text=text):
                    self.assertLessEqual(
                        set(re.findall(r"(?<!\S)--[a-z][\w-]*", text)), known)

    def test_alerts(self):
        with open(RULES, encoding="utf-8") as file:
            spec = yaml.safe_load(file)["spec"]
        rules = [rule for group in spec["groups"] for rule in group["rules"]]
        told = {cells[0].strip("`"): cells[1] for cells in
                table_rows(section(PAGE, "Alerts"))[1:]}
        self.assertEqual(list(told), [rule["alert"] for rule in rules])
        for rule in rules:
            minutes = rule.get("for", "at once").replace("m", " min")
            self.assertEqual(told[rule["alert"]], minutes)
        metrics = re.findall(r"`(tributary_\w+)`", page.text_of(METRICS))
        for rule in rules:
            for name in re.findall(r"\btributary_\w+", rule["expr"]):
                self.assertIn(name, metrics)

    def test_promtool_accepts_the_alerts(self):
        with open(RULES, encoding="utf-8") as file:
            spec = yaml.safe_load(file)["spec"]
        path = self.shells.path("rules.yaml")
        with open(path, "w", encoding="utf-8") as file:
            yaml.safe_dump(spec, file)
        self.assertTrue(shutil.which("promtool"), "Debian's prometheus has it")
        shutil.copy("tests/e2e/pages/alerts_test.yaml", self.shells.folder)
        for command in (["check", "rules", path],
                        ["test", "rules", self.shells.path("alerts_test.yaml")]):
            done = subprocess.run(["promtool", *command], text=True,
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
