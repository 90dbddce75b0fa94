"""Readers that are stopped while batches are on their way to them."""

import re
import signal
import time

from tests.e2e import processes

# More than once round the inputs: the batches are more than sockets hold.
INPUTS = ",".join(map(str, range(2708)))
MANY_INPUTS = ",".join([INPUTS] * 4)


def active(metrics):
    """Batches that are queued, being made or sent, in the text of /metrics."""
    return float(re.search(r"^tributary_batches_active ([0-9.e+]+)$", metrics,
                           re.M).group(1))


def freeze(process):
    process.send(signal.SIGSTOP)
    processes.until(lambda: processes.state_of(process.pid) == "T")


def freeze_reader(read_metrics, reader):
    """Stops the reader for good while its server has batches to send.

    `read_metrics()` is the text of the server's /metrics."""
    def caught():
        freeze(reader)
        # What sockets hold is sent; the rest stays.
        end = time.monotonic() + 1
        while active(read_metrics()) > 0:
            if time.monotonic() > end:
                return True
        reader.send(signal.SIGCONT)
        assert reader.read_line() is not None, reader.stderr()
        return False

    processes.until(caught)
