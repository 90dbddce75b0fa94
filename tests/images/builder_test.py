"""The builder: the same bytes again, and what it refuses."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from tests.e2e import processes
from tests.images import archives

LAYERS = ["system", "sampler_programs"]
LAYER_BUILDER = "k8s/images/build_layer.py"
IMAGE_BUILDER = "k8s/images/build_image.py"


def output(name, suffix):
    return pathlib.Path(f"k8s/images/{name}{suffix}")


def spec_of(name):
    """What Bazel told a builder, with the paths of this test's files."""
    text = output(name, ".spec.json").read_text()
    return json.loads(re.sub(r"bazel-out/[^/]+/bin/", "", text))


class BuilderTest(unittest.TestCase):
    def setUp(self):
        folder = processes.temporary_folder()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_builder(self, script, spec, *outs, **environment):
        spec_file = self.folder / "spec"
        spec_file.write_text(json.dumps(spec))
        return subprocess.run(
            ["/usr/bin/python3", "-B", script, str(spec_file), *map(str, outs)],
            env={**os.environ, **environment}, text=True, capture_output=True,
            timeout=120, umask=0o077, check=False)

    def build(self, spec, **environment):
        """(exit code, errors, meta) of the layer's builder."""
        blob, meta = self.folder / "blob", self.folder / "meta"
        done = self.run_builder(LAYER_BUILDER, spec, blob, meta, **environment)
        fields = json.loads(meta.read_text()) if done.returncode == 0 else None
        return done.returncode, done.stderr, fields

    def copy(self, path):
        """A copy of a file, with another time and mode."""
        copy = self.folder / os.path.basename(path)
        shutil.copyfile(path, copy)
        copy.chmod(0o700)
        return str(copy)

    def test_the_same_digests_again(self):
        for layer in LAYERS:
            spec = spec_of(layer)
            for key in ["programs", "libraries_of"]:
                spec[key] = [self.copy(path) for path in spec[key]]
            expected = json.loads(output(layer, ".json").read_text())
            for zone in ["UTC", "Asia/Tokyo"]:
                with self.subTest(layer, zone=zone):
                    code, errors, meta = self.build(spec, TZ=zone)
                    self.assertEqual(code, 0, errors)
                    self.assertEqual(meta, expected)

    def test_the_same_archive_again(self):
        out = self.folder / "image.tar"
        done = self.run_builder(IMAGE_BUILDER, spec_of("sampler"), out,
                                TZ="Asia/Tokyo")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(out.read_bytes(), output("sampler", ".tar").read_bytes())

    def test_another_program_another_digest(self):
        spec = spec_of("sampler_programs")
        spec["programs"] = [self.copy(path) for path in spec["programs"]]
        with open(spec["programs"][0], "ab") as program:
            program.write(b"\0")
        _, _, meta = self.build(spec)
        expected = json.loads(output("sampler_programs", ".json").read_text())
        self.assertNotEqual(meta["digest"], expected["digest"])

    def refuse(self, spec, words):
        code, errors, _ = self.build(spec)
        self.assertEqual(code, 1)
        self.assertRegex(errors, words)

    def test_a_library_that_is_nowhere(self):
        spec = spec_of("sampler_programs")
        spec["programs"] = ["k8s/images/tributary-train"]
        self.refuse(spec, "tributary-train needs libtorch_cpu.so, which is nowhere")

    def test_a_name_that_is_nowhere(self):
        spec = spec_of("system") | {"opened_by_name": ["libnowhere.so.1"]}
        self.refuse(spec, "libnowhere.so.1 is in none of /usr/lib/x86_64-linux-gnu")

    def test_a_file_of_no_package(self):
        own = self.copy("VERSION")
        self.refuse(spec_of("system") | {"system_files": [own]},
                    "belongs to no Debian package")

    def test_a_file_that_hides_another(self):
        spec = spec_of("sampler_programs")
        spec["files"] = {"/etc/passwd": "VERSION"}
        self.refuse(spec, "/etc/passwd is in a layer below with another content")

    def test_images_list(self):
        paths = [archives.path_of(image) for image in archives.IMAGES]
        done = subprocess.run(
            ["/usr/bin/python3", "-B", "k8s/images/list_images.py", *paths],
            text=True, capture_output=True, check=True)
        for image in archives.IMAGES:
            self.assertRegex(done.stdout,
                             rf"tributary-{image}:\S+ +\d+\.\d MiB +sha256:\w{{64}} "
                             rf".*{image}\.tar")


if __name__ == "__main__":
    unittest.main()
