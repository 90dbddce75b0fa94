"""Tests of what ./dev does on systems that it was not made for, and of its PATH."""

import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent
DEBIAN = 'ID=debian\nVERSION_ID="12"\n'
UBUNTU = 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="24.04"\n'
# What setup.sh itself calls.
COMMANDS = ("awk", "cat", "comm", "dirname", "sort")


class ShellTest(unittest.TestCase):
    """Runs functions of tools/*.sh with a PATH of stubs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for command in COMMANDS:
            found = [at for at in ("/usr/bin", "/bin") if os.path.exists(f"{at}/{command}")]
            (self.bin / command).symlink_to(f"{found[0]}/{command}")
        third_party = self.folder / "third_party"
        third_party.mkdir()
        (third_party / "debian-packages.txt").write_text("[build]\ng++  # why\n")

    def stub(self, command, script):
        path = self.bin / command
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def bash(self, script, **environment):
        return subprocess.run(
            ["/bin/bash", "-euc", script],
            cwd=self.folder,
            env={"PATH": str(self.bin), **environment},
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )


class SystemTest(ShellTest):
    def setup_on(self, os_release, machine="x86_64", dpkg=True, installed=""):
        """Runs ensure_packages, as a user, on such a system."""
        self.stub("uname", f"[ $1 = -m ] && echo {machine} || echo Darwin")
        self.stub("id", "echo 1000")
        self.stub("apt-get", f"touch {self.folder}/apt-was-called")
        if dpkg:
            self.stub("dpkg-query", f"echo 'installed {installed}'")
        release = self.folder / "os-release"
        if os_release is not None:
            release.write_text(os_release)
        done = self.bash(
            f"cache={self.folder}; . {TOOLS}/setup.sh; ensure_packages build; echo through",
            TRIBUTARY_OS_RELEASE=str(release),
        )
        self.assertFalse((self.folder / "apt-was-called").exists())
        return done

    def check_refusal(self, done, system):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn("through", done.stdout)
        self.assertIn(f"Debian 12 on x86-64; this is {system}.", done.stderr)
        self.assertNotIn("apt-get", done.stderr)
        commands = [shlex.split(line) for line in done.stderr.splitlines() if "run --rm" in line]
        self.assertEqual([words[0] for words in commands], ["docker", "podman"])
        for words in commands:
            self.assertIn(f"{self.folder}:/tributary:z", words)
            self.assertEqual(words[-4:], ["/tributary", "docker.io/library/debian:12", "./dev", "demo"])

    def test_another_system_with_dpkg(self):
        self.check_refusal(self.setup_on(UBUNTU), "ubuntu 24.04 x86_64")

    def test_another_debian(self):
        self.check_refusal(self.setup_on(DEBIAN.replace("12", "13")), "debian 13 x86_64")

    def test_another_processor(self):
        self.check_refusal(self.setup_on(DEBIAN, machine="aarch64"), "debian 12 aarch64")

    def test_a_system_without_dpkg(self):
        self.check_refusal(self.setup_on("ID=fedora\nVERSION_ID=41\n", dpkg=False), "fedora 41 x86_64")

    def test_a_system_without_versions(self):
        self.check_refusal(self.setup_on("ID=arch\n", dpkg=False), "arch x86_64")

    def test_a_system_without_os_release(self):
        self.check_refusal(self.setup_on(None, machine="arm64", dpkg=False), "Darwin arm64")

    def test_another_system_that_has_all_packages(self):
        done = self.setup_on(UBUNTU, installed="g++")
        self.assertEqual((done.returncode, done.stdout), (0, "through\n"), done.stderr)

    def test_debian_12_names_the_packages(self):
        done = self.setup_on(DEBIAN)
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install --no-install-recommends g++", done.stderr)
        self.assertNotIn("docker", done.stderr)


class PathTest(ShellTest):
    def test_the_line_puts_all_programs_on_the_path(self):
        out = self.folder / "out of bazel"
        self.stub("bazel", f"[ \"$*\" = 'info bazel-bin' ] && echo {shlex.quote(str(out))}")
        names = ("cli/tributary", "trainer_client/torch/tributary-train",
                 "cli/tributary-parquet", "cli/fetch/tributary-fetch",
                 "cli/mpi/tributary-partition-mpi")
        for name in names:
            program = out / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text("#!/bin/bash\necho ${0##*/}\n")
            program.chmod(0o755)
        done = self.bash(
            f"bazel=bazel; . {TOOLS}/programs.sh; export_programs; line=$(print_path);"
            f' eval "$line"; for name in {" ".join(names)}; do "${{name##*/}}"; done;'
            " command -v bazel; print_programs"
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            done.stdout,
            "".join(f"{name.rpartition('/')[2]}\n" for name in names)
            + f"{self.bin}/bazel\n"
            + "".join(f"{out}/{name}\n" for name in names),
            done.stderr,
        )


if __name__ == "__main__":
    unittest.main()
