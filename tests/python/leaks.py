"""What a process holds, before and after something was used."""

import gc
import os
import unittest

from tests.e2e import processes


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def threads():
    return len(os.listdir("/proc/self/task"))


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class LeakTest(unittest.TestCase):
    """A test that looks for what stays."""

    def expect_nothing_stays(self, use, times=20, others=0):
        """`use` opens and leaves a loader, whose ring has 32 MB. Besides, so many threads and
        descriptors may come and go."""
        use()
        gc.collect()
        most = descriptors() + others, threads() + others
        memory = resident_bytes()
        for _ in range(times):
            use()
        gc.collect()
        processes.until(lambda: descriptors() <= most[0] and threads() <= most[1])
        self.assertLess(resident_bytes() - memory, times * (32 << 20) / 4)
