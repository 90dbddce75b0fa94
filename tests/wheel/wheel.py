"""The wheel under test, and an installation of it that finds no other Tributary."""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

BUILT = "python/wheel/tributary_gnn.whl"
NAME = "python/wheel/name.txt"
TOOLS = "external/wheel_tools/path.txt"
PLATFORM = "manylinux_2_36_x86_64"
DEADLINE = 300  # seconds, for what takes some


def named_copy(folder):
    """The wheel in `folder` by its own name, without which pip refuses it."""
    with open(NAME, encoding="utf-8") as file:
        path = os.path.join(folder, file.read().strip())
    shutil.copyfile(BUILT, path)
    return path


def unpack(folder):
    """The files of the wheel in `folder`, as they are installed."""
    with zipfile.ZipFile(BUILT) as archive:
        for entry in archive.infolist():
            path = archive.extract(entry, folder)
            os.chmod(path, entry.external_attr >> 16 or 0o755)
    return pathlib.Path(folder)


def tools():
    """The folder of the Python packages that make wheels."""
    with open(TOOLS, encoding="utf-8") as file:
        return file.read()


class Installation:
    """The wheel, installed by pip into a folder of its own, without what it needs."""

    def __init__(self, folder):
        self.site = os.path.join(folder, "site")
        wheel = named_copy(folder)
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index",
                        "--no-deps", "--disable-pip-version-check", "--target", self.site,
                        wheel], check=True, timeout=DEADLINE)

    def environment(self, **more):
        """Variables of a process that imports from it; what the test itself was given
        of Tributary's is left out."""
        own = {name: value for name, value in os.environ.items()
               if not name.startswith("TRIBUTARY_")}
        paths = [self.site, *filter(None, [own.get("PYTHONPATH")])]
        return {**own, "PYTHONPATH": ":".join(paths),
                "PATH": f"{self.site}/bin:/usr/bin:/bin", **more}

    def run(self, *command, code=0, folder=None, **more):
        """Runs a command in `folder` to its end, which is with `code`."""
        done = subprocess.run(command, env=self.environment(**more), cwd=folder, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=DEADLINE)
        if done.returncode != code:
            raise AssertionError(f"{command}: exit {done.returncode}\n{done.stderr}")
        return done
