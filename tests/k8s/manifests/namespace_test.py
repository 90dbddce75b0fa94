"""A fleet in a namespace of one's own, by an overlay of kustomize: its autoscaler
and its alerts ask for the metrics of that namespace."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tests.k8s.manifests import rendered
from tools import kubectl

import check_manifests
import manifests

WHOLE = sorted(path.name for path in rendered.K8S.glob("overlays/whole*"))
BASES = ("base/alerts",)
OVERLAY = """namespace: gnn
resources: [{resources}]
transformers: [../../k8s/transformers/namespace]
"""


class Namespace(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        # kustomize reads no links to files elsewhere.
        shutil.copytree(rendered.K8S, self.folder / "k8s")

    def render(self, text):
        overlay = self.folder / "mine" / "overlay"
        overlay.mkdir(parents=True, exist_ok=True)
        (overlay / "kustomization.yaml").write_text(text)
        return subprocess.run([kubectl.main(), "kustomize", overlay], check=True,
                              capture_output=True, text=True, timeout=60).stdout

    def overlay_of(self, *folders):
        return self.render(OVERLAY.format(resources=", ".join(
            f"../../k8s/{folder}" for folder in folders)))

    def errors_of(self, text):
        return check_manifests.check(manifests.load(text), beside=rendered.everything())

    def test_each_fleet_asks_for_its_own_namespace(self):
        for name in WHOLE:
            with self.subTest(name):
                text = self.overlay_of(f"overlays/{name}", *BASES)
                self.assertNotIn('namespace="tributary"', text)
                self.assertEqual(text.count("kind: ScaledObject"), name != "whole-fixed")
                self.assertEqual(len(re.findall('namespace="gnn"', text)),
                                 16 if name == "whole-fixed" else 22)
                self.assertEqual(
                    [e for e in self.errors_of(text) if "is to be asked" in e], [])

    def test_without_the_transformer_the_checks_refuse_it(self):
        text = self.render("namespace: gnn\nresources: [../../k8s/overlays/whole]\n")
        self.assertTrue(any('is to be asked with namespace="gnn"' in error
                            for error in self.errors_of(text)), text)

    def test_pods_are_scraped_once(self):
        for name in WHOLE:
            with self.subTest(name):
                text = self.overlay_of(f"overlays/{name}")
                self.assertEqual([e for e in self.errors_of(text) if "scraped" in e], [])
                by_annotation = 'prometheus.io/scrape: "true"' in text
                self.assertNotEqual(by_annotation, "kind: PodMonitor" in text)


if __name__ == "__main__":
    unittest.main()
