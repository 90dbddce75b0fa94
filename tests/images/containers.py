"""Runs images by buildah, in chroots: as root, without a daemon or cgroups.

The containers share this machine's network, so they speak over loopback.
"""

import os
import signal
import subprocess
import tempfile

from k8s.images.archive import Archive
from tests.e2e import processes

DEADLINE = 240  # seconds, for what takes some


class Storage:
    """A folder for images and containers, removed when its block ends."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.environment = {
            "HOME": self._folder.name,
            "TMPDIR": self._folder.name,
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        }
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def command(self, *args):
        return [
            "buildah",
            "--storage-driver=vfs",
            f"--root={self._folder.name}/root",
            f"--runroot={self._folder.name}/run",
            *args,
        ]

    def buildah(self, *args):
        """The output of buildah."""
        done = subprocess.run(
            self.command(*args), env=self.environment, text=True,
            capture_output=True, timeout=DEADLINE, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(f"buildah {args}: {done.stderr}")
        return done.stdout.strip()

    def container(self, archive):
        """A container of the image in the file `archive`."""
        name = self.buildah("from", "--quiet", "oci-archive:" + archive)
        with Archive(archive) as image:
            return Container(self, name, image.config)


class Container:
    """`config` is the image's. `root` is its file system on this machine."""

    def __init__(self, storage, name, config):
        self.storage = storage
        self.name = name
        self.config = config
        self.root = storage.buildah("mount", name)

    def start(self, *args, volumes=(), entrypoint=None):
        """Starts the image's program (or `entrypoint`) with `args`, as the
        image's user. `volumes`: FOLDER:PLACE[:ro]. A ContainerProcess."""
        command = self.storage.command(
            "run", "--isolation=chroot", "--env=OMP_NUM_THREADS=1",
            *(f"--volume={volume}" for volume in volumes), self.name, "--",
            *(entrypoint or self.config["Entrypoint"]), *map(str, args))
        return ContainerProcess(command, self.storage.environment)

    def run(self, *args, code=0, **options):
        """Runs to the end, which is with `code`. What the program prints may be
        lost: buildah ends without waiting for those who carry it."""
        with self.start(*args, **options) as process:
            process.read_lines(DEADLINE)
            if process.wait(DEADLINE) != code:
                raise AssertionError(f"{args}: {process.stderr()}")

    def output(self, *args):
        """What the image's program prints, without buildah: in a chroot of the
        container's files, as the image's user, with nothing but /proc."""
        user, group = self.config["User"].split(":")
        done = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
             f"--root={self.root}", f"--setgid={group}", f"--setuid={user}", "--",
             *self.config["Entrypoint"], *map(str, args)],
            env=dict(word.split("=", 1) for word in self.config["Env"]),
            executable="/usr/bin/unshare", text=True, capture_output=True,
            timeout=DEADLINE, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(f"{args}: {done.stderr}")
        return done.stdout


class ContainerProcess(processes.Process):
    """A buildah that runs a program; ended, program first, with its block."""

    def __init__(self, command, environment):
        super().__init__(*command[1:], program=command[0], environment=environment)

    def __exit__(self, *unused):
        for pid in reversed(self.descendants()):
            processes.signal_to(pid, signal.SIGKILL)
        super().__exit__(*unused)

    def read_lines(self, deadline=DEADLINE):
        lines = []
        while (line := self.read_line(deadline)) is not None:
            lines.append(line)
        return lines

    def descendants(self):
        """All processes below buildah, parents first."""
        found = processes.children_of(self)
        for pid in found:
            found += processes.children_of(Pid(pid))
        return found

    def program(self):
        """The process id of the program in the container."""
        for pid in self.descendants():
            if "/app/" in executable(pid):
                return pid
        raise AssertionError(f"no program runs: {self.stderr()}")


class Pid:
    def __init__(self, pid):
        self.pid = pid


def executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""
