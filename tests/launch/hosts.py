"""Hosts with sshd: a network namespace and a tree of files for each.

Requires network, mount and process namespaces of this process's own
(run_isolated.sh of tests/k8s/pods): all of it ends with them. This process
stands for the machine that launches. The hosts have addresses of 10.78.0.0/16,
which exist in there alone. The workspace is one path with a folder of its own
behind it for each host, and one for this machine.
"""

import glob
import os
import signal
import subprocess
import unittest

from tests.e2e import processes

HERE = "10.78.0.1"
LINE = 30  # seconds for what takes well under one


def require():
    """Skips where there are no namespaces, or no sshd."""
    if os.environ.get("TRIBUTARY_ISOLATED") != "1":
        raise unittest.SkipTest("needs root and namespaces (unshare) for hosts")
    if not os.path.exists("/usr/sbin/sshd"):
        raise unittest.SkipTest("needs sshd (openssh-server)")


def run(*command):
    done = subprocess.run(command, text=True, capture_output=True, timeout=LINE)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


class Host:
    def __init__(self, cluster, number):
        self._cluster = cluster
        self.name = f"host{number}"
        self.address = f"10.78.0.{number + 2}"
        self.workspace = cluster.path(self.name)
        self.bin = cluster.path(self.name + "-bin")
        self.authorized = cluster.path(self.name + "-keys")
        self.sshd = None

    def make(self, key):
        os.mkdir(self.workspace)
        os.mkdir(self.bin)
        write(self.authorized, key, 0o600)
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", "v" + self.name, "type", "veth", "peer",
            "name", "eth0", "netns", self.name)
        run("ip", "link", "set", "v" + self.name, "master", "hosts", "up")
        for words in (("addr", "add", self.address + "/16", "dev", "eth0"),
                      ("link", "set", "eth0", "up"), ("link", "set", "lo", "up")):
            run("ip", "-n", self.name, *words)

    def start(self):
        config = self._cluster.path(self.name + ".conf")
        write(config, f"""ListenAddress {self.address}
HostKey {self._cluster.path("host-key")}
AuthorizedKeysFile {self.authorized}
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
LogLevel ERROR
Subsystem sftp internal-sftp
SetEnv PATH={self.bin}:/usr/bin:/bin
""")
        # Its name is that of its address, as Gloo wants it of a host.
        names = self._cluster.path(self.name + "-names")
        write(names, f"127.0.0.1 localhost\n{self.address} {self.name}\n")
        self.sshd = subprocess.Popen(
            ["ip", "netns", "exec", self.name, "unshare", "--mount", "--uts",
             "sh", "-c", 'mount --bind "$1" "$2" && mount --bind "$3" /etc/hosts '
             '&& hostname "$4" && exec /usr/sbin/sshd -D -e -f "$5"', "sh",
             self.workspace, self._cluster.workspace, names, self.name, config],
            stdin=subprocess.DEVNULL, start_new_session=True)
        processes.until(self.answers, LINE)

    def answers(self):
        return subprocess.run(
            ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5",
             self.address, "true"], capture_output=True,
            stdin=subprocess.DEVNULL).returncode == 0

    def link(self, state):
        """Its network goes, or comes back, as a cable does."""
        run("ip", "link", "set", "v" + self.name, state)

    def has(self, program):
        target = os.path.join(self.bin, os.path.basename(program))
        if not os.path.lexists(target):
            os.symlink(os.path.abspath(program), target)

    def has_instead(self, name, text):
        path = os.path.join(self.bin, name)
        if os.path.lexists(path):
            os.remove(path)
        write(path, text, 0o755)


class Cluster:
    """This machine and `count` hosts, for a test class."""

    def __init__(self, count, programs):
        self._folder = processes.temporary_folder()
        os.chmod(self._folder.name, 0o755)
        self.workspace = self.path("w")
        os.mkdir(self.workspace)
        self._own_network()
        self._keys()
        with open(self.path("key.pub"), encoding="utf-8") as file:
            key = file.read()
        self.hosts = [Host(self, number) for number in range(count)]
        for host in self.hosts:
            host.make(key)
            for program in programs:
                host.has(program)
            host.start()

    def path(self, *names):
        return os.path.join(self._folder.name, *names)

    def _own_network(self):
        run("mount", "-t", "tmpfs", "none", "/run")
        os.makedirs("/run/netns")
        os.makedirs("/run/sshd")
        run("ip", "link", "add", "hosts", "type", "bridge")
        run("ip", "addr", "add", HERE + "/16", "dev", "hosts")
        run("ip", "link", "set", "hosts", "up")

    def _keys(self):
        for name in ("key", "other-key", "host-key"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                self.path(name))
        with open(self.path("host-key.pub"), encoding="utf-8") as file:
            host_key = " ".join(file.read().split()[:2])
        write(self.path("known"), f"10.78.* {host_key}\n")
        write(self.path("ssh_config"), f"""IdentityFile {self.path("key")}
IdentitiesOnly yes
UserKnownHostsFile {self.path("known")}
""")
        # Of this process's mount namespace: what the user's ssh is told.
        run("mount", "--bind", self.path("ssh_config"), "/etc/ssh/ssh_config")

    def addresses(self):
        return "".join(host.address + "\n" for host in self.hosts)

    def close(self):
        for host in self.hosts:
            if host.sshd is not None:
                os.killpg(host.sshd.pid, signal.SIGKILL)
                host.sshd.wait(LINE)
        run("umount", "/etc/ssh/ssh_config")
        self._folder.cleanup()


def left():
    """Command lines of what launches start, on all hosts and here."""
    found = []
    for path in glob.glob("/proc/[0-9]*"):
        pid = int(os.path.basename(path))
        text = processes.read_proc(path + "/cmdline")
        if not text or processes.is_gone(pid):
            continue
        words = text.rstrip("\0").split("\0")
        if any(word in ("host-agent", "serve", "1000") for word in words) \
                or os.path.basename(words[0]) in ("ssh", "tributary",
                                                  "tributary-train"):
            found.append(" ".join(words))
    return found
