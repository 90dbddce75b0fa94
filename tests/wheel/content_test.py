"""What the wheel holds: its tag, licences, native files and their symbols; and that its
bytes are the same each time."""

import email
import filecmp
import os
import pathlib
import re
import subprocess
import sys
import unittest

from tests.e2e import processes
from tests.wheel import wheel

# What the system has of these, and nothing else, may be loaded from outside.
SYSTEM = {"ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6"}
# Renamed by auditwheel, after the builder: "libtributary-z-cda9b0c3.so.1".
BUNDLED = re.compile(r"libtributary-(.+)-[0-9a-f]{8}(\.so.*)")


def output(*command):
    return subprocess.run(command, text=True, capture_output=True, check=True,
                          timeout=wheel.DEADLINE).stdout


def dynamic_symbols(path, which):
    """(name without version, nm's letter) of the defined or undefined symbols."""
    lines = output("nm", "-D", f"--{which}-only", "--format=posix", str(path))
    found = (line.split()[:2] for line in lines.splitlines())
    return {(name.split("@")[0], letter) for name, letter in found if letter != "A"}


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", str(path)))


class ContentTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = processes.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = wheel.unpack(os.path.join(folder.name, "unpacked"))
        cls.library = cls.folder / "tributary_gnn/lib/libtributary.so"
        cls.program = cls.folder / "tributary_gnn/bin/tributary"
        cls.bundled = {path.name: path for path in
                       (cls.folder / "tributary_gnn.libs").iterdir()}
        (cls.metadata,) = cls.folder.glob("*.dist-info")

    def loaded_by(self, path):
        """The bundled files that `path` loads, and those that these load."""
        found, todo = {}, [path]
        while todo:
            for name in needed(todo.pop()):
                if name in self.bundled and name not in found:
                    found[name] = self.bundled[name]
                    todo.append(self.bundled[name])
        return found

    def test_its_version_and_tag(self):
        version = pathlib.Path("VERSION").read_text(encoding="utf-8").strip()
        self.assertEqual(os.path.basename(wheel.named_copy(self.folder.parent)),
                         f"tributary_gnn-{version}-py3-none-{wheel.PLATFORM}.whl")
        about = email.message_from_string((self.metadata / "METADATA").read_text())
        self.assertEqual((about["Name"], about["Version"]), ("tributary_gnn", version))
        tags = email.message_from_string((self.metadata / "WHEEL").read_text())
        self.assertEqual(tags.get_all("Tag"), [f"py3-none-{wheel.PLATFORM}"])
        self.assertEqual(tags["Root-Is-Purelib"], "false")

    def test_it_is_a_typed_package_without_build_files(self):
        self.assertTrue((self.folder / "tributary_gnn/py.typed").exists())
        self.assertEqual({path.name for path in self.folder.iterdir()},
                         {"tributary_gnn", "tributary_gnn.libs", self.metadata.name})
        self.assertEqual(list(self.folder.rglob("*BUILD*")), [])

    def test_auditwheel_finds_it_consistent_with_its_tag(self):
        done = subprocess.run(
            [sys.executable, "-B", "-m", "auditwheel", "show",
             wheel.named_copy(self.folder.parent)],
            env={**os.environ, "PYTHONPATH": wheel.tools()}, text=True,
            capture_output=True, timeout=wheel.DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is consistent with the following platform tag: "
                      f'"{wheel.PLATFORM}".', " ".join(done.stdout.split()))

    def test_native_files_load_nothing_else_than_the_c_library(self):
        files = [self.library, self.program, *self.bundled.values()]
        outside = {name for path in files for name in needed(path)} - set(self.bundled)
        self.assertEqual(outside, SYSTEM)
        used = {**self.loaded_by(self.library), **self.loaded_by(self.program)}
        self.assertEqual(set(used), set(self.bundled))

    def test_no_name_of_c_plus_plus_is_shared_with_the_process(self):
        copies = self.loaded_by(self.library)
        for path in copies.values():
            taken = {name for name, _ in dynamic_symbols(path, "defined")
                     if not name.endswith(".tributary")}
            self.assertEqual(taken, set(), path.name)
        for path in [self.library, *copies.values()]:
            wanted = {name for name, _ in dynamic_symbols(path, "undefined")
                      if name.startswith("_Z") and not name.endswith(".tributary")}
            self.assertEqual(wanted, set(), path.name)

    def test_native_files_are_stripped(self):
        for path in (self.library, self.program):
            self.assertNotIn(".symtab", output("readelf", "-S", str(path)))
            self.assertTrue(os.access(path, os.X_OK))

    def test_each_library_comes_with_its_licence(self):
        folder = self.metadata / "licenses"
        self.assertEqual((folder / "LICENSE").read_bytes(),
                         pathlib.Path("LICENSE").read_bytes())
        # What is linked statically.
        packages = {"libgrpc-dev", "libgrpc++-dev", "libssl-dev"}
        for name in self.bundled:
            soname = "lib" + "".join(BUNDLED.fullmatch(name).groups())
            owner = output("dpkg-query", "-S", f"*/{soname}").splitlines()[0]
            packages.add(owner.split(":")[0])
        listed = (folder / "debian/SOURCES").read_text(encoding="utf-8").splitlines()
        for package in packages:
            source = output("dpkg-query", "-W", "-f",
                            "${Package} ${source:Package} ${source:Version}", package)
            self.assertIn(source, listed)
            text = (folder / "debian" / package / "copyright").read_bytes()
            self.assertEqual(
                text, pathlib.Path("/usr/share/doc", package, "copyright").read_bytes())
            for name in re.findall(rb"/usr/share/common-licenses/([\w.-]*\w)", text):
                self.assertTrue(
                    (folder / "debian/common-licenses" / name.decode()).exists(), name)

    def test_a_second_build_has_the_same_bytes(self):
        again = self.folder.parent / "again.whl"
        subprocess.run(
            [sys.executable, "-B", "python/wheel/build_wheel.py",
             "--tools", wheel.tools(), "--library", "trainer_client/c/libtributary.so",
             "--program", "cli/tributary", "--out", again,
             "--name-out", self.folder.parent / "name.txt"],
            env={**os.environ, "PYTHONPATH": "k8s/images"}, check=True,
            timeout=wheel.DEADLINE)
        self.assertTrue(filecmp.cmp(again, wheel.BUILT, shallow=False),
                        "the second wheel is another")


if __name__ == "__main__":
    unittest.main()
