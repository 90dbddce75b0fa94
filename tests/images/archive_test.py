"""What the images hold, read without a container engine."""

import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import unittest

from k8s.images.archive import Archive, BadArchive
from tests.e2e import processes
from tests.images import archives
from tests.images.unpack import unpack

MB = 10 ** 6
SHELLS = {"sh", "bash", "dash", "busybox", "ash", "env", "perl", "python3"}


def entries(image):
    """The tar entries of all layers, by path."""
    found = {}
    with Archive(archives.path_of(image)) as archive:
        for number in range(len(archive.layers)):
            with archive.open_layer(number) as layer:
                found |= {"/" + entry.name: entry for entry in layer}
    return found


def damage(archive, out):
    """Copies an archive, with one byte of its largest blob changed."""
    shutil.copy(archive, out)
    os.chmod(out, 0o644)
    with tarfile.open(out) as tar:
        blob = max(tar, key=lambda entry: entry.size)
    with open(out, "r+b") as file:
        file.seek(blob.offset_data + blob.size // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))


class ArchiveTest(unittest.TestCase):
    def test_config(self):
        version = pathlib.Path("VERSION").read_text().strip()
        for image in archives.IMAGES:
            with self.subTest(image), Archive(archives.path_of(image)) as archive:
                self.assertEqual(archive.tag, f"tributary-{image}:{version}")
                self.assertEqual(archive.config["User"], "10001:10001")
                self.assertEqual(
                    archive.config["Entrypoint"], [archives.ENTRYPOINTS[image]])
                self.assertIn("PATH=/app", archive.config["Env"])

    def test_labels(self):
        version = pathlib.Path("VERSION").read_text().strip()
        for image in archives.IMAGES:
            with self.subTest(image), Archive(archives.path_of(image)) as archive:
                labels = {
                    name.removeprefix("org.opencontainers.image."): value
                    for name, value in archive.config["Labels"].items()}
                self.assertEqual(labels["title"], f"tributary-{image}")
                self.assertEqual(labels["version"], version)
                self.assertEqual(labels["licenses"], "Apache-2.0")
                self.assertRegex(labels["revision"],
                                 "^([0-9a-f]{40}(-dirty)?|unknown)$")

    def test_files(self):
        for image in archives.IMAGES:
            with self.subTest(image):
                found = entries(image)
                for program in archives.PROGRAMS[image]:
                    self.assertEqual(found[f"/app/{program}"].mode, 0o755)
                self.assertEqual(found["/tmp"].mode, 0o1777)
                for path in ["/etc/passwd", "/etc/group", "/etc/nsswitch.conf",
                             "/etc/ssl/certs/ca-certificates.crt",
                             "/usr/share/doc/tributary/LICENSE",
                             "/usr/share/doc/libc6/copyright",
                             "/var/lib/dpkg/status.d/libc6"]:
                    self.assertTrue(found[path].isfile(), path)
                names = {path.rpartition("/")[2] for path in found}
                self.assertEqual(names & SHELLS, set())

    def test_entries_say_nothing_of_the_machine(self):
        for image in archives.IMAGES:
            with self.subTest(image):
                for path, entry in entries(image).items():
                    self.assertEqual((entry.uid, entry.gid, entry.mtime),
                                     (0, 0, 0), path)
                    self.assertEqual(entry.mode & 0o6000, 0, path)

    def test_libtorch_comes_with_its_licences(self):
        found = entries("trainer")
        self.assertTrue("/app/lib/libtorch_cpu.so" in found)
        for name in ["libtorch_cuda.so", "libtorch_python.so", "libshm.so"]:
            self.assertFalse("/app/lib/" + name in found, name)
        for path in ["torch/LICENSE", "torch/NOTICE",
                     "nvidia-cuda-runtime/License.txt"]:
            self.assertTrue("/usr/share/doc/" + path in found, path)

    def test_arrow_comes_with_its_licences(self):
        found = entries("tools")
        names = [path for path in found if path.startswith("/app/lib/libarrow")]
        self.assertEqual(len(names), 2, names)
        for path in ["pyarrow/LICENSE.txt", "pyarrow/NOTICE.txt"]:
            self.assertTrue("/usr/share/doc/" + path in found, path)

    def test_sampler_is_small(self):
        with Archive(archives.path_of("sampler")) as archive:
            self.assertLess(archive.size, 60 * MB)

    def test_images_share_layers(self):
        lowest = set()
        for image in archives.IMAGES:
            with Archive(archives.path_of(image)) as archive:
                lowest.add(archive.layers[0]["digest"])
        self.assertEqual(len(lowest), 1)


class DamageTest(unittest.TestCase):
    def setUp(self):
        self._folder = processes.temporary_folder()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "image.tar")
        self.out = os.path.join(self._folder.name, "out")
        damage(archives.path_of("sampler"), self.path)

    def skopeo(self, *args):
        return subprocess.run(
            ["skopeo", *args], text=True, capture_output=True, timeout=60,
            env={**os.environ, "HOME": self._folder.name,
                 "TMPDIR": self._folder.name})

    def test_skopeo_reads_the_sound_one(self):
        sound = archives.path_of("sampler")
        done = self.skopeo("inspect", "oci-archive:" + sound)
        self.assertEqual(done.returncode, 0, done.stderr)
        with Archive(sound) as archive:
            self.assertEqual(json.loads(done.stdout)["Digest"], archive.digest)
        done = self.skopeo("copy", "oci-archive:" + sound, "dir:" + self.out)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_skopeo_refuses_the_damaged_one(self):
        done = self.skopeo("copy", "oci-archive:" + self.path, "dir:" + self.out)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("igest", done.stderr)

    def test_unpack_refuses_the_damaged_one(self):
        with self.assertRaisesRegex(BadArchive, "is damaged"):
            unpack(self.path, self.out)


if __name__ == "__main__":
    unittest.main()
