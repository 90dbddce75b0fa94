"""A container: an image's root file system, volumes in it, and its program.

The root is a copy by hard links, mounted read-only where the manifest says so,
in which the program runs as the manifest's user. When the program has ended,
all processes that it left are killed, as a container's PID namespace would.
"""

import fcntl
import os
import shutil
import signal
import subprocess

from tests.e2e import processes
from tests.images.unpack import unpack
from tests.k8s.pods.network import run


class Image:
    """An unpacked image, under a name (its digest, to a Deployment)."""

    def __init__(self, name, root, config):
        self.name = name
        self.root = root
        self.config = config

    @staticmethod
    def unpack(name, archive, root):
        return Image(name, root, unpack(archive, root))

    def rebuilt(self, name, root):
        """Another image with the same programs, and one more file."""
        copy_links(self.root, root)
        with open(os.path.join(root, "revision"), "w", encoding="ascii") as file:
            file.write(name)
        return Image(name, root, self.config)


def copy_links(source, target):
    run("cp", "-al", source, target)


class Container:
    """`mounts`: pairs of a place in the container and (folder, read_only), or
    None for memory. `files`: texts of /etc."""

    def __init__(self, spec, image, root, mounts, files, environment, arguments,
                 network, user):
        self.name = spec["name"]
        self.root = root
        self.log = root + ".log"
        self.exit_code = None
        self._popen = None
        self._mounted = []
        copy_links(image.root, root)
        for name, text in files.items():
            self._write(os.path.join("etc", name), text)
        for place in mounts:
            os.makedirs(root + place, exist_ok=True)
        security = spec.get("securityContext", {})
        self._mount("--bind", root, root)
        if security.get("readOnlyRootFilesystem"):
            run("mount", "-o", "remount,ro,bind", root)
        self._mount("-t", "proc", "proc", root + "/proc")
        self._mount_devices()
        for place, volume in sorted(mounts.items()):
            self._mount_volume(root + place, volume)
        command = spec.get("command") or image.config["Entrypoint"]
        variables = dict(pair.split("=", 1) for pair in image.config["Env"])
        # The pod's host name, too: ranks look their own one up.
        self._command = [
            "/usr/sbin/ip", "netns", "exec", network, "/usr/bin/unshare", "--uts",
            "/bin/sh", "-ec", 'echo "$0" >/proc/sys/kernel/hostname; '
            'exec /usr/sbin/chroot "$@"',
            files["hostname"].strip(), f"--userspec={user}:{user}",
            f"--groups={user}", root, *command, *arguments]
        self._environment = {**variables, **environment}

    def start(self, stdout=None):
        """`stdout`: instead of the log."""
        with open(self.log, "a") as log:
            self._popen = subprocess.Popen(
                self._command, env=self._environment, stdin=subprocess.DEVNULL,
                stdout=stdout or log, stderr=log)

    def start_reading(self):
        """Starts; a file of its stdout, which waits when a page of it is unread."""
        ours, theirs = os.pipe()
        fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, 4096)
        self.start(stdout=theirs)
        os.close(theirs)
        return os.fdopen(ours, "rb", buffering=0)

    def poll(self):
        """Notices the end of the program; whether it runs."""
        if self._popen is None or self.exit_code is not None:
            return False
        code = self._popen.poll()
        if code is None:
            return True
        self._kill_processes()
        self.exit_code = code if code >= 0 else 128 - code
        return False

    def signal(self, number):
        if self._popen is not None and self._popen.poll() is None:
            self._popen.send_signal(number)

    def _kill_processes(self):
        """Until none is left: one that is being killed may just have forked."""
        def left():
            pids = [int(pid) for pid in os.listdir("/proc") if pid.isdigit()]
            return [pid for pid in pids if root_of(pid) == self.root]

        def none_is_left():
            for pid in left():
                processes.signal_to(pid, signal.SIGKILL)
            return not left()

        processes.until(none_is_left)

    def kill(self):
        """Ends the program and all that it left, at once."""
        self.signal(signal.SIGKILL)
        if self._popen is not None:
            self._popen.wait(30)
        self.poll()

    def remove(self):
        self.kill()
        for place in reversed(self._mounted):
            run("umount", place)
        shutil.rmtree(self.root)

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def _write(self, name, text):
        path = os.path.join(self.root, name)
        if os.path.lexists(path):
            os.unlink(path)  # the image has it, too
        with open(path, "w", encoding="ascii") as file:
            file.write(text)

    def _mount(self, *arguments):
        run("mount", *arguments)
        self._mounted.append(arguments[-1])

    def _mount_devices(self):
        place = self.root + "/dev"
        self._mount("-t", "tmpfs", "-o", "mode=755", "none", place)
        for name, minor in ("null", 3), ("zero", 5), ("random", 8), ("urandom", 9):
            run("mknod", "-m", "666", f"{place}/{name}", "c", "1", str(minor))
        os.mkdir(place + "/shm")
        self._mount("-t", "tmpfs", "-o", "size=64m,mode=1777", "none",
                    place + "/shm")

    def _mount_volume(self, place, volume):
        if volume is None:
            self._mount("-t", "tmpfs", "-o", "mode=1777", "none", place)
            return
        folder, read_only = volume
        self._mount("--bind", folder, place)
        if read_only:
            run("mount", "-o", "remount,ro,bind", place)


def root_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/root")
    except OSError:
        return None  # it has ended
