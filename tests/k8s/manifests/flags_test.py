"""The flags of every container are flags of the programs that are built, also of
those that only overlays set."""

import re
import unittest

from tests.k8s.manifests import rendered

import flags
import manifests

BINARIES = {"tributary": rendered.TRIBUTARY,
            "tributary-fetch": "cli/fetch/tributary-fetch",
            "tributary-train": "trainer_client/torch/tributary-train"}


def errors_of(resources):
    found = manifests.Manifests(resources)
    flags.check_all(found, BINARIES)
    return found.errors


class Flags(unittest.TestCase):
    def test_flags_exist(self):
        for name in ("base/samplers", "base/trainers", "base/graph",
                     "overlays/trainers-trainjob", "overlays/graph-from-object-store"):
            with self.subTest(name):
                self.assertEqual(errors_of(rendered.folder(name)), [])

    def test_flags_of_patches_exist(self):
        known = flags.help_of(BINARIES["tributary-train"]) + \
            flags.help_of(BINARIES["tributary"], "serve")
        for path in rendered.K8S.glob("*/*/*.yaml"):
            for flag in re.findall(r"value: (--[a-z][\w-]*)", path.read_text()):
                self.assertIn(flag, known, path)

    def test_a_rendered_fleet_that_fetches_its_graph(self):
        resources = rendered.fleet(("  claim: tributary-graph\n", "  fetch: {url: s3://b/g, "
                                    "endpoint: http://s3.example:9000}\n"))
        self.assertEqual(errors_of(resources), [])
        pod = rendered.one(resources, "Deployment")["spec"]["template"]["spec"]
        pod["initContainers"][0]["args"].append("--no-such-flag")
        self.assertIn("tributary-fetch get has no --no-such-flag", errors_of(resources)[0])

    def test_a_flag_that_the_trainer_lacks_is_found(self):
        resources = rendered.folder("base/trainers")
        job = rendered.one(resources, "Job")["spec"]["template"]["spec"]
        job["containers"][0]["args"].append("--no-such-flag=1")
        job["initContainers"][0]["args"].append("--nor-this")
        found = errors_of(resources)
        self.assertIn("tributary-train has no --no-such-flag", found[1])
        self.assertIn("tributary status has no --nor-this", found[0])


if __name__ == "__main__":
    unittest.main()
