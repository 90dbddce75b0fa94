"""A network of pods: a namespace for each, a bridge between them, and DNS.

Requires network and mount namespaces of this process's own
(run_isolated.sh): the bridge is in this process's, and all of it ends
with it. Pods have addresses of 10.77.0.0/16, which exist in there alone.
"""

import os
import signal
import subprocess

GATEWAY = "10.77.0.1"
GATEWAY_MAC = "02:00:0a:4d:00:01"
SUFFIX = "svc.cluster.local"


def run(*command):
    done = subprocess.run(command, text=True, capture_output=True, timeout=30)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


class Network:
    """`folder` is for the files of DNS; answers may be kept for `ttl` seconds."""

    def __init__(self, folder, ttl):
        self._hosts = os.path.join(folder, "hosts")
        self._log = open(os.path.join(folder, "dnsmasq.log"), "w")
        self._count = 1
        self._records = None
        os.makedirs("/run/netns", exist_ok=True)
        run("mount", "-t", "tmpfs", "none", "/run/netns")
        # With an address of its own: else it takes the lowest of its ports', and
        # when a new pod's is lower, the others do not reach the gateway (so DNS)
        # until their caches of addresses have expired, up to a minute.
        run("ip", "link", "add", "pods", "address", GATEWAY_MAC, "type", "bridge")
        run("ip", "addr", "add", GATEWAY + "/16", "dev", "pods")
        run("ip", "link", "set", "pods", "up")
        with open(self._hosts, "w", encoding="ascii"):
            pass
        self._dns = subprocess.Popen(
            ["dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null",
             "--no-resolv", "--no-hosts", "--addn-hosts=" + self._hosts,
             f"--local-ttl={ttl}", "--listen-address=" + GATEWAY,
             "--bind-interfaces", "--address=/#/", "--user=root",
             "--pid-file="], stderr=self._log, stdin=subprocess.DEVNULL)

    def close(self):
        self._dns.kill()
        self._dns.wait(30)
        self._log.close()
        run("ip", "link", "del", "pods")
        run("umount", "-l", "/run/netns")

    def add_pod(self):
        """Makes a namespace: its name and its address."""
        self._count += 1
        name = f"pod{self._count}"
        address = f"10.77.{self._count // 250}.{self._count % 250 + 2}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", "v" + name, "type", "veth",
            "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", "v" + name, "master", "pods", "up")
        run("ip", "-n", name, "addr", "add", address + "/16", "dev", "eth0")
        run("ip", "-n", name, "link", "set", "eth0", "up")
        run("ip", "-n", name, "link", "set", "lo", "up")
        return name, address

    def remove_pod(self, name):
        """Its link goes at once, as that of a machine that fails."""
        run("ip", "link", "del", "v" + name)
        run("ip", "netns", "del", name)

    def publish(self, records):
        """Sets what DNS answers: pairs of a name, without SUFFIX, and an address."""
        lines = sorted(f"{address} {name}.{SUFFIX}\n" for name, address in records)
        if lines == self._records:
            return
        self._records = lines
        with open(self._hosts + ".new", "w", encoding="ascii") as file:
            file.writelines(lines)
        os.rename(self._hosts + ".new", self._hosts)
        self._dns.send_signal(signal.SIGHUP)


def resolv_conf(namespace):
    """As kubelet writes it."""
    return (f"search {namespace}.{SUFFIX} {SUFFIX} cluster.local\n"
            f"nameserver {GATEWAY}\noptions ndots:5\n")
