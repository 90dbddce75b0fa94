"""Trainers of these tests, and what a server says of itself."""

import re
import time
import urllib.request

from tests.bounds import memory
from tests.e2e import processes, sampling

PROGRAM = "tests/bounds/bounds_trainer"


class Trainer(processes.Process):
    """Reads an epoch; what it cannot have is a line too."""

    def __init__(self, servers, options, rpc_timeout=50, **process):
        arguments = sampling.arguments(("servers", servers), **options)[1:]
        super().__init__(*arguments, "--rpc-timeout", rpc_timeout,
                         program=PROGRAM, environment=memory.NOTHING_KEPT,
                         **process)


def _metrics(server):
    with urllib.request.urlopen(f"http://{server.http}/metrics",
                                timeout=10) as reply:
        text = reply.read().decode()
    return dict(re.findall(r"^(\w+) (\S+)$", text, re.M))


def metric(server, name):
    """Of a server with --http."""
    return float(_metrics(server)[name])


def await_rest(server, deadline=processes.DEADLINE):
    """Until nothing has moved at the server for half a second; its CPU time
    and its resident memory move by themselves."""
    end = time.monotonic() + deadline
    seen, since = None, 0
    while seen is None or time.monotonic() < since + 0.5:
        now = {name: value for name, value in _metrics(server).items()
               if not name.startswith("process_")}
        if now != seen:
            seen, since = now, time.monotonic()
        if since >= end:
            raise processes.Timeout(f"no rest in {deadline} s")
        time.sleep(0.02)
