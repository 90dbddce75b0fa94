"""What a process holds, as /proc tells it."""

import threading

from tests.e2e import processes

MIB = 1 << 20

# Beside the budgets: docs/testing.md, "Bounds", says what these stand for.
PER_STREAM = 8 * MIB  # that brings bulk
THE_REST = 8 * MIB

# Freed memory goes back to the kernel at once: what a process is seen to hold
# is what it has not freed. What glibc's heaps keep is stated, and held to,
# apart: docs/testing.md.
NOTHING_KEPT = {"MALLOC_TRIM_THRESHOLD_": "131072",
                "MALLOC_MMAP_THRESHOLD_": "131072"}


def status(pid):
    """Bytes by name: VmHWM, RssAnon, RssFile, ...; none once it has ended."""
    found = {}
    text = processes.read_proc(f"/proc/{pid}/status") or ""
    for line in text.splitlines():
        name, value = line.split(":", 1)
        if value.endswith("kB"):
            found[name] = int(value.split()[0]) << 10
    return found


class Watch:
    """The most anonymous memory that each process was seen to hold.

    /proc has no high-water mark of it: it is looked at every few milliseconds,
    and what VmHWM says of shorter peaks is taken in at the end.
    """

    INTERVAL = 0.003

    def __init__(self, pids):
        self._peaks = {pid: 0 for pid in pids}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on)

    def __enter__(self):
        self._look()
        self._thread.start()
        return self

    def __exit__(self, *unused):
        self._over.set()
        self._thread.join()

    def _look_on(self):
        while not self._over.wait(self.INTERVAL):
            self._look()

    def _look(self):
        for pid in self._peaks:
            now = status(pid)
            # Mapped pages stay once they are there, so this is a lower bound
            # of the anonymous ones at the high-water mark.
            shorter = now.get("VmHWM", 0) - now.get("RssFile", 0)
            self._peaks[pid] = max(self._peaks[pid], shorter,
                                   now.get("RssAnon", 0))

    def peak(self, pid):
        return self._peaks[pid]
